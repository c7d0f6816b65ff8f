import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import type { LogPipe } from './log-pipe.ts';
import { isProcessMessage, SUPERVISED_PROCESS_ARGUMENT } from './process-messages.ts';
import type { SupervisedProcess } from './process-slot.ts';
import { closeUnconfirmedConnectionsOnExit } from './unconfirmed-connections.ts';

/**
 * Returns a function that starts a process of the server (decisions/0159). All processes listen on the same
 * ports: the supervisor accepts the connections, and passes them to the processes in turn.
 */
export function createProcessStarter(
  count: number,
  logs: LogPipe,
): (processNumber: number) => SupervisedProcess {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  return (processNumber) => {
    cluster.setupPrimary({
      // A process that starts later must use the same count, even if floe.yaml has changed. Otherwise, it could take
      // over the data of processes that are still running.
      args: [SUPERVISED_PROCESS_ARGUMENT, String(count), String(processNumber)],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const worker = cluster.fork();
    const child = worker.process;
    closeUnconfirmedConnectionsOnExit(child);
    // A message cannot be sent to a process that is exiting. Its exit is handled.
    child.on('error', () => undefined);
    if (child.stdout) logs.add(processNumber, child.stdout);
    return toSupervisedProcess(worker, child);
  };
}

function toSupervisedProcess(worker: Worker, child: ChildProcess): SupervisedProcess {
  return {
    pid: child.pid ?? 0,
    send(message) {
      if (child.connected) worker.send(message, () => undefined);
    },
    kill: (signal) => void child.kill(signal),
    onMessage: (listener) =>
      void worker.on('message', (message: unknown) => {
        if (isProcessMessage(message)) listener(message);
      }),
    onExit: (listener) =>
      void child.once('close', (code, signal) => {
        listener({ code, signal });
      }),
  };
}
