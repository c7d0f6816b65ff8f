// `npm start`: sets up, then runs the server. npm signals only its own shell, so `exec` puts this
// wrapper in its place and TERM, INT, HUP and USR2 are handed on to the server. The server ends when the
// channel closes, which also happens if this wrapper is killed.
import { spawn } from 'node:child_process';
import { ensureConsole, ensureServer, environment, root, setup } from './setup.mjs';

const node = setup();
ensureConsole(node);
const server = spawn(node, [ensureServer(node), ...process.argv.slice(2)], {
  cwd: root,
  env: environment(node),
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'])
  process.on(signal, () => server.kill(signal));
server.on('exit', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code ?? 1);
});
