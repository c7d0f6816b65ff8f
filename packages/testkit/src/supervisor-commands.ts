import { createInterface } from 'node:readline';

/** The operations that a supervisor performs on its server. */
export interface SupervisedServer {
  /** Kills the server, as a crash does. Resolves when it has ended. */
  crash(): Promise<void>;
  /** Starts it again on the same port. Resolves to its process id. */
  start(): Promise<number>;
  /** Ends the server and this process. Never resolves. */
  end(code: number): Promise<never>;
}

/**
 * Executes the commands `crash` and `start` from stdin, and prints one line for each command. Ends the
 * supervisor when stdin ends or on a signal.
 */
export function serveSupervisorCommands(server: SupervisedServer): void {
  const fail = (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return server.end(1);
  };
  const answer = async (command: string) => {
    if (command === 'crash') await server.crash();
    process.stdout.write(command === 'start' ? `${await server.start()}\n` : 'done\n');
  };
  createInterface({ input: process.stdin })
    .on('line', (command) => void answer(command).catch(fail))
    .once('close', () => void server.end(0));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.once(signal, () => void server.end(0));
}
