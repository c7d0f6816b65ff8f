import { parentPort } from 'node:worker_threads';
import { Fault } from '@floe/contract/faults';
import type { FromThread } from '../../core/thread-pool.ts';
import { TRIAL_TASKS } from './trial-tasks.ts';
import type { TrialCall, TrialReply } from './trials.ts';

const port = parentPort;
if (!port) throw new Error('trial-worker.ts runs in a worker thread');
const tell = (message: FromThread) => port.postMessage(message);

/** `Trials.run` takes the input from the type of the task with this name. */
function taskOf(name: TrialCall['name']): (input: unknown) => unknown {
  return TRIAL_TASKS[name] as (input: never) => unknown as (input: unknown) => unknown;
}

async function replyTo({ name, input }: TrialCall): Promise<TrialReply> {
  try {
    return { done: await taskOf(name)(input) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, detail } = error;
    return { fault: { code, message, param: detail.param } };
  }
}

// A bug in a task ends the thread and reaches the caller as its error.
port.on('message', async (call: TrialCall) => tell({ reply: await replyTo(call) }));
tell({ ready: true });
