import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('server-child.mjs', import.meta.url));

/**
 * Starts the demo's server in a process of its own.
 *
 * @param {import('../../server.mjs').ServerOptions} options those that JSON can say
 * @returns {Promise<{ url: string, kill: () => Promise<void> }>} `kill` gives it no time to say goodbye
 */
export async function startServerProcess(options) {
  const child = fork(CHILD, [JSON.stringify(options)]);
  const exited = once(child, 'exit');
  const [url] = await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => {
      throw new Error(`the server has ended with ${code}`);
    }),
  ]);
  // A test that fails before it has killed the server must not keep this process, and so the server, for ever.
  child.unref();
  child.channel?.unref();
  return {
    url,
    async kill() {
      child.ref();
      child.kill('SIGKILL');
      await exited;
    },
  };
}
