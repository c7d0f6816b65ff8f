import { createInterface } from 'node:readline';

/** What a keeper does for those who started it. */
export interface SupervisedServer {
  /** Ends the server as a crash would; resolves when it is gone. */
  crash(): Promise<void>;
  /** Starts it again on the same port; resolves with its process id. */
  start(): Promise<number>;
  /** Ends everything; never resolves. */
  end(code: number): Promise<never>;
}

/** Obeys `crash` and `start` from standard input, each answered by a line; its end, or a signal, ends the keeper. */
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
