import { Fault, type FaultCode } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import {
  TaskLimitExceededError,
  TaskQueueFullError,
  ThreadPool,
  ThreadPoolClosedError,
} from '../../core/thread-pool.ts';
import type { EVALUATION_TASKS } from './evaluation-tasks.ts';

type EvaluationTasks = typeof EVALUATION_TASKS;

/** The message that the main thread sends to an evaluation thread. */
export interface EvaluationCall {
  readonly name: keyof EvaluationTasks;
  readonly input: unknown;
}

/** The message that an evaluation thread sends back. */
export type EvaluationReply =
  | { readonly done: unknown }
  | {
      readonly fault: {
        readonly code: FaultCode;
        readonly message: string;
        readonly param: string | undefined;
      };
    };

/** The time limit for one evaluation, in milliseconds. */
export const EVALUATION_TIMEOUT_MS = 10_000;
const MAX_QUEUED_PER_ORG = 10;
/** One task per organization at a time leaves a thread for other organizations. */
const THREADS = 2;
const IDLE_MS = 30_000;
const HEAP_MB = 256;

/**
 * Evaluates rules and configurations that clients submit. Uses worker threads, so that the main
 * thread is not blocked.
 */
export interface EvaluationPool {
  /**
   * Runs one task. Organizations take turns.
   *
   * @throws Fault `evaluation_limit_exceeded` for a task that exceeds its time limit, `rate_limit_exceeded`
   *   if the organization has too many waiting tasks, and the faults of the task
   */
  run<Name extends keyof EvaluationTasks>(
    orgId: string,
    name: Name,
    input: Parameters<EvaluationTasks[Name]>[0],
  ): Promise<Awaited<ReturnType<EvaluationTasks[Name]>>>;
  close(): Promise<void>;
}

/** Creates an evaluation pool. It starts its threads when they are first needed. */
export function createEvaluationPool(
  clock: Pick<Clock, 'after'>,
  { limitMs = EVALUATION_TIMEOUT_MS, threads = THREADS } = {},
): EvaluationPool {
  const pool = new ThreadPool({
    entry: new URL('./evaluation-worker.ts', import.meta.url),
    name: 'trials',
    maxThreads: threads,
    maxRunningPerTenant: 1,
    maxQueuedPerTenant: MAX_QUEUED_PER_ORG,
    taskTimeoutMs: limitMs,
    idleTimeoutMs: IDLE_MS,
    maxHeapMb: HEAP_MB,
    clock,
  });
  return {
    async run<Name extends keyof EvaluationTasks>(
      orgId: string,
      name: Name,
      input: Parameters<EvaluationTasks[Name]>[0],
    ): Promise<Awaited<ReturnType<EvaluationTasks[Name]>>> {
      const call: EvaluationCall = { name, input };
      const reply = await pool.run(orgId, call).catch((error: unknown) => {
        throw toEvaluationFault(error, limitMs);
      });
      return unwrapReply<Name>(reply);
    },
    close: () => pool.close(),
  };
}

function toEvaluationFault(error: unknown, limitMs: number): unknown {
  if (error instanceof TaskLimitExceededError)
    return new Fault(
      'evaluation_limit_exceeded',
      error.exceeded === 'time'
        ? `The evaluation took longer than ${limitMs / 1_000} s and was stopped. Reduce the input: for example, use fewer or simpler policies or rules, or fewer samples.`
        : 'The evaluation exceeded its memory limit and was stopped. Reduce the input: for example, use fewer policies or rules, or fewer samples.',
    );
  if (error instanceof TaskQueueFullError)
    return new Fault(
      'rate_limit_exceeded',
      `${MAX_QUEUED_PER_ORG} evaluations of this organization are already queued. Try again when an evaluation has finished.`,
      { retryAfterMs: 1_000 },
    );
  if (error instanceof ThreadPoolClosedError)
    return new Fault('shutting_down', 'This process is shutting down. Retry the request.');
  return error;
}

/** Returns the result of a task from the reply of its thread. @throws Fault of the task */
function unwrapReply<Name extends keyof EvaluationTasks>(
  reply: unknown,
): Awaited<ReturnType<EvaluationTasks[Name]>> {
  const outcome = reply as EvaluationReply;
  if ('fault' in outcome) {
    const { code, message, param } = outcome.fault;
    throw new Fault(code, message, param === undefined ? {} : { param });
  }
  return outcome.done as Awaited<ReturnType<EvaluationTasks[Name]>>;
}
