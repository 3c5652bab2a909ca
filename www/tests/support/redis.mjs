import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** How often another port is tried when somebody else has just taken the free one. */
const ATTEMPTS = 5;

/**
 * Starts a Redis of its own on a free port. It writes nothing to disk.
 *
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startRedis() {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const redis = spawn(
      process.env.REDIS_SERVER || 'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    if (await isReady(redis)) {
      return {
        url: `redis://127.0.0.1:${port}`,
        async stop() {
          const exited = once(redis, 'exit');
          redis.kill('SIGKILL');
          await exited;
        },
      };
    }
    if (attempt === ATTEMPTS) throw new Error('Redis does not start; its own words are above.');
  }
}

/** @returns {Promise<number>} a port that was free a moment ago */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return port;
}

/** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, null>} redis */
async function isReady(redis) {
  await once(redis, 'spawn');
  let printed = '';
  for await (const piece of redis.stdout.iterator({ destroyOnReturn: false })) {
    printed += piece;
    if (printed.includes('Ready to accept connections')) {
      redis.stdout.resume();
      return true;
    }
  }
  process.stderr.write(printed);
  return false;
}
