import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A supervisor process and its server, which runs while this process lives. */
export interface ServerSupervisor {
  /** The line that it printed when the server was ready for the first time. */
  readonly firstLine: string;
  /** Sends a command. Resolves to the line of its result. */
  sendCommand(command: string): Promise<string>;
  /** Ends the server and the supervisor. */
  stop(): Promise<void>;
}

/**
 * Starts `program` with Node.js and returns the first line of its output. Returns null if the program
 * ends without output; its error message is then on stderr. The program does not keep this process
 * alive.
 */
export async function startSupervisor(
  program: string,
  args: readonly string[],
): Promise<ServerSupervisor | null> {
  const supervisor = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(supervisor, 'exit');
  const lines = createInterface({ input: supervisor.stdout });
  const next = async (): Promise<string | null> => {
    const [line] = await Promise.race([once(lines, 'line'), exit.then(() => [null])]);
    return typeof line === 'string' ? line : null;
  };
  const greeting = await next();
  if (greeting === null) return null;
  const pipe = supervisor.stdout;
  const hold = (isHeld: boolean) => {
    if (isHeld) supervisor.ref();
    else supervisor.unref();
    if (pipe instanceof Socket) pipe[isHeld ? 'ref' : 'unref']();
  };
  hold(false);
  return {
    firstLine: greeting,
    async sendCommand(command) {
      hold(true);
      const answer = next();
      supervisor.stdin.write(`${command}\n`);
      const line = await answer;
      hold(false);
      if (line === null) throw new Error(`The keeper of a test server ended at "${command}".`);
      return line;
    },
    async stop() {
      hold(true);
      supervisor.stdin.end();
      await exit;
    },
  };
}
