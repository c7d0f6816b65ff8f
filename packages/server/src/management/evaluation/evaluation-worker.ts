import { parentPort } from 'node:worker_threads';
import { Fault } from '@floe/contract/faults';
import type { WorkerThreadMessage } from '../../core/thread-pool.ts';
import type { EvaluationCall, EvaluationReply } from './evaluation-pool.ts';
import { EVALUATION_TASKS } from './evaluation-tasks.ts';

const port = parentPort;
if (!port) throw new Error('evaluation-worker.ts must run in a worker thread');
const send = (message: WorkerThreadMessage) => port.postMessage(message);

/** The input has the type of the named task, because `EvaluationPool.run` derives it from the same name. */
function findTask(name: EvaluationCall['name']): (input: unknown) => unknown {
  return EVALUATION_TASKS[name] as (input: never) => unknown as (input: unknown) => unknown;
}

async function runCall({ name, input }: EvaluationCall): Promise<EvaluationReply> {
  try {
    return { done: await findTask(name)(input) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, detail } = error;
    return { fault: { code, message, param: detail.param } };
  }
}

// An unexpected error in a task ends the thread and rejects the caller's promise.
port.on('message', async (call: EvaluationCall) => send({ reply: await runCall(call) }));
send({ ready: true });
