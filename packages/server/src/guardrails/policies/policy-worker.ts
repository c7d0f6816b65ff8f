import { parentPort } from 'node:worker_threads';
import type { WorkerThreadMessage } from '../../core/thread-pool.ts';
import { type PolicyTask, runPolicyTask } from './policy-tasks.ts';

const port = parentPort;
if (!port) throw new Error('policy-worker.ts must run in a worker thread');
const send = (message: WorkerThreadMessage, transfer: readonly ArrayBuffer[] = []) =>
  port.postMessage(message, [...transfer]);

// An unexpected error ends the thread and rejects the promise of the main thread.
port.on('message', (task: PolicyTask) => {
  const reply = runPolicyTask(task);
  send({ reply }, reply.body === null ? [] : [reply.body.buffer]);
});
send({ ready: true });
