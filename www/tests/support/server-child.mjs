/** The demo's server as a process of its own. Started by `server-processes.mjs`, with its options as an argument. */
import { startServer } from '../../server.mjs';

const server = await startServer(JSON.parse(process.argv[2]));
process.send?.(server.url);
process.once('disconnect', () => process.exit());
