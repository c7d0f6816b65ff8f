import { Fault, type FaultCode } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { PoolClosed, TaskStopped, TenantBusy, ThreadPool } from '../../core/thread-pool.ts';
import type { TRIAL_TASKS } from './trial-tasks.ts';

type Tasks = typeof TRIAL_TASKS;

/** What a thread is sent. */
export interface TrialCall {
  readonly name: keyof Tasks;
  readonly input: unknown;
}

/** What it sends back. */
export type TrialReply =
  | { readonly done: unknown }
  | {
      readonly fault: {
        readonly code: FaultCode;
        readonly message: string;
        readonly param: string | undefined;
      };
    };

/** How long one trial may take, and how many of an organization may wait. */
export const TRIAL_LIMIT_MS = 10_000;
const WAITING_OF_ORG = 10;
/** One of an organization at a time leaves a thread for the others. */
const THREADS = 2;
const IDLE_MS = 30_000;
const HEAP_MB = 256;

/** Evaluates what people submit for trial, such as drafts of rules and configurations, away from the main thread. */
export interface Trials {
  /**
   * Runs one task; organizations take turns.
   *
   * @throws Fault `trial_limit_exceeded` for a task that takes too long, `rate_limit_exceeded` while too many of the
   *   organization wait, and what the task throws
   */
  run<Name extends keyof Tasks>(
    orgId: string,
    name: Name,
    input: Parameters<Tasks[Name]>[0],
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>;
  close(): Promise<void>;
}

export function createTrials(
  clock: Pick<Clock, 'after'>,
  { limitMs = TRIAL_LIMIT_MS, threads = THREADS } = {},
): Trials {
  const pool = new ThreadPool({
    entry: new URL('./trial-worker.ts', import.meta.url),
    name: 'trials',
    threads,
    perTenant: 1,
    queuedPerTenant: WAITING_OF_ORG,
    limitMs,
    idleMs: IDLE_MS,
    heapMb: HEAP_MB,
    clock,
  });
  return {
    async run<Name extends keyof Tasks>(
      orgId: string,
      name: Name,
      input: Parameters<Tasks[Name]>[0],
    ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
      const call: TrialCall = { name, input };
      const reply = await pool.run(orgId, call).catch((error: unknown) => {
        throw refusalOf(error, limitMs);
      });
      return resultOf<Name>(reply);
    },
    close: () => pool.close(),
  };
}

function refusalOf(error: unknown, limitMs: number): unknown {
  if (error instanceof TaskStopped)
    return new Fault(
      'trial_limit_exceeded',
      error.exceeded === 'time'
        ? `This took longer than ${limitMs / 1_000} s and was stopped. Try fewer or cheaper rules, or fewer samples.`
        : 'This took more memory than it may and was stopped. Try fewer rules, or fewer samples.',
    );
  if (error instanceof TenantBusy)
    return new Fault(
      'rate_limit_exceeded',
      `${WAITING_OF_ORG} trials of this organization wait already; try again when one is done.`,
      { retryAfterMs: 1_000 },
    );
  if (error instanceof PoolClosed)
    return new Fault('shutting_down', 'This process is shutting down; try again.');
  return error;
}

/** The worker replies to each call with what its task returned, or with a fault. @throws Fault of the task */
function resultOf<Name extends keyof Tasks>(reply: unknown): Awaited<ReturnType<Tasks[Name]>> {
  const done = reply as TrialReply;
  if ('fault' in done) {
    const { code, message, param } = done.fault;
    throw new Fault(code, message, param === undefined ? {} : { param });
  }
  return done.done as Awaited<ReturnType<Tasks[Name]>>;
}
