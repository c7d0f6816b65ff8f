import { BACKGROUND_JOB_STATES } from '@floe/contract/api/background-jobs';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { Clock, Timer } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import {
  type BackgroundJobResult,
  type BackgroundJobRow,
  finishBackgroundJob,
  insertBackgroundJob,
  recordBackgroundJobProgress,
} from '../store/background-jobs.ts';
import type { Database } from '../store/store-interfaces.ts';

/** Interval at which a running job stores its progress. */
const PROGRESS_INTERVAL_MS = 2_000;
const MAX_RUNNING_JOBS = 4;
const MAX_RUNNING_JOBS_PER_ORG = 2;
/** Maximum length of a result, because it is part of a response. */
const MAX_RESULT_CHARS = 1_000_000;

/** A running job that has not stored its progress for this long is lost. */
const LOST_AFTER_MS = 30_000;

/** Returns the state of a background job. A job in progress whose process has ended is `lost`. */
export function resolveBackgroundJobState(
  { state, seen_at }: BackgroundJobRow,
  nowMs: number,
): (typeof BACKGROUND_JOB_STATES)[number] {
  if (state === 'running' && nowMs - seen_at > LOST_AFTER_MS) return 'lost';
  return BACKGROUND_JOB_STATES.find((known) => known === state) ?? 'failed';
}

/** The functions and values that a background job can use while it runs. */
export interface BackgroundJobHandle {
  /** Aborted if the job is cancelled or the process ends. */
  readonly signal: AbortSignal;
  progress(done: number, total: number | null): void;
}

/** The dependencies of a `BackgroundJobRunner`. */
export interface BackgroundJobRunnerDependencies {
  readonly database: Pick<Database, 'rowTransaction'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface RunningJob {
  readonly orgId: string;
  readonly abort: AbortController;
  readonly finished: Promise<void>;
}

/**
 * Runs background jobs, which take longer than a request. The row of a job contains its progress. If the
 * process ends, its jobs are lost. They are not resumed (decisions/0063-background-jobs.md).
 */
export class BackgroundJobRunner {
  readonly #options: BackgroundJobRunnerDependencies;
  readonly #running = new Map<string, RunningJob>();
  #isClosed = false;

  constructor(options: BackgroundJobRunnerDependencies) {
    this.#options = options;
  }

  /**
   * Starts a job and returns its row. The value that `work` resolves to becomes its result.
   *
   * @throws Fault `rate_limit_exceeded` if too many jobs run, `shutting_down`
   */
  async start(
    { orgId, kind, by }: { readonly orgId: string; readonly kind: string; readonly by: string },
    work: (handle: BackgroundJobHandle) => Promise<JsonObject>,
  ): Promise<BackgroundJobRow> {
    this.requireCapacity(orgId);
    const { database, clock } = this.#options;
    const now = clock.now();
    const row: BackgroundJobRow = {
      id: createId('job', now),
      org_id: orgId,
      kind,
      state: 'running',
      done: 0,
      total: null,
      created_by: by,
      created_at: now,
      seen_at: now,
      ended_at: null,
      cancel_requested: 0,
      result_json: null,
      error: null,
    };
    const abort = new AbortController();
    const written = database.rowTransaction((writer) => insertBackgroundJob(writer, row));
    // Counted before the row is written, so that two concurrent starts cannot exceed the limit.
    const over = written.then(
      () => this.#work(row, abort, work),
      () => undefined,
    );
    this.#running.set(row.id, { orgId, abort, finished: over.finally(() => this.#running.delete(row.id)) });
    await written;
    return row;
  }

  /**
   * Requires that a new job of the organization can start now. Call it if an operation changes something before
   * it starts its job.
   *
   * @throws Fault `rate_limit_exceeded` if too many jobs run, `shutting_down`
   */
  requireCapacity(orgId: string): void {
    if (this.#isClosed) throw new Fault('shutting_down', 'This process is shutting down. Retry the request.');
    const ofOrg = [...this.#running.values()].filter((job) => job.orgId === orgId).length;
    if (this.#running.size >= MAX_RUNNING_JOBS || ofOrg >= MAX_RUNNING_JOBS_PER_ORG)
      throw new Fault(
        'rate_limit_exceeded',
        `Too many background jobs are in progress (limits of each process: ${MAX_RUNNING_JOBS_PER_ORG} per organization, ${MAX_RUNNING_JOBS} in total). Wait for a job to finish, or cancel a job.`,
        { retryAfterMs: 5_000 },
      );
  }

  /** Cancels a job. A job of this process stops immediately, others with their next progress report. */
  cancel(id: string): void {
    this.#running.get(id)?.abort.abort();
  }

  /** Cancels the running jobs and waits until their rows are written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#running.values()];
    for (const { abort } of all) abort.abort(PROCESS_ENDED);
    await Promise.all(all.map(({ finished }) => finished));
  }

  async #work(
    row: BackgroundJobRow,
    abort: AbortController,
    work: (handle: BackgroundJobHandle) => Promise<JsonObject>,
  ) {
    const { database, clock, log } = this.#options;
    const progress: { done: number; total: number | null } = { done: 0, total: null };
    const stopNoting = this.#trackProgress(row.id, progress, abort);
    const handle: BackgroundJobHandle = {
      signal: abort.signal,
      progress(done, total) {
        progress.done = Math.floor(done);
        progress.total = total === null ? null : Math.floor(total);
      },
    };
    let end: Pick<BackgroundJobResult, 'state' | 'result_json' | 'error'>;
    try {
      end = toJobEnd(await work(handle), abort.signal);
    } catch (error) {
      if (!abort.signal.aborted && !(error instanceof Fault))
        log.error({ err: error, job: row.id, kind: row.kind }, 'background job failed unexpectedly');
      end = toJobFailure(error, abort.signal, row.id);
    }
    await stopNoting();
    await database
      .rowTransaction((writer) =>
        finishBackgroundJob(writer, row.id, { ...progress, ...end, ended_at: clock.now() }),
      )
      .catch((error: unknown) =>
        log.warn({ err: error, job: row.id }, 'could not save the result of a background job'),
      );
  }

  /** Stores the progress regularly and detects cancellation. Returns a function that stops it. */
  #trackProgress(
    id: string,
    progress: Pick<BackgroundJobRow, 'done' | 'total'>,
    abort: AbortController,
  ): () => Promise<void> {
    const { database, clock, log } = this.#options;
    let timer: Timer;
    let isOver = false;
    let noting = Promise.resolve();
    const later = () => {
      timer = clock.after(PROGRESS_INTERVAL_MS, () => {
        const said = { ...progress, seen_at: clock.now() };
        noting = database
          .rowTransaction((writer) => recordBackgroundJobProgress(writer, id, said))
          .then(
            (isCanceled) => {
              if (isCanceled) abort.abort();
            },
            (error: unknown) =>
              log.debug({ err: error, job: id }, 'could not save the progress of a background job'),
          )
          .finally(() => {
            if (!isOver) later();
          });
      });
    };
    later();
    return () => {
      isOver = true;
      timer.cancel();
      return noting;
    };
  }
}

const PROCESS_ENDED = new Error('The process that ran the background job ended. Start the job again.');

function toJobEnd(
  result: JsonObject,
  signal: AbortSignal,
): Pick<BackgroundJobResult, 'state' | 'result_json' | 'error'> {
  if (signal.aborted) return toJobFailure(signal.reason, signal, '');
  const json = JSON.stringify(result);
  if (json.length > MAX_RESULT_CHARS)
    return {
      state: 'failed',
      result_json: null,
      error: 'The result exceeds the maximum size. Choose a shorter time range.',
    };
  return { state: 'done', result_json: json, error: null };
}

function toJobFailure(
  error: unknown,
  signal: AbortSignal,
  id: string,
): Pick<BackgroundJobResult, 'state' | 'result_json' | 'error'> {
  if (signal.reason === PROCESS_ENDED)
    return { state: 'lost', result_json: null, error: PROCESS_ENDED.message };
  if (signal.aborted) return { state: 'cancelled', result_json: null, error: null };
  const text =
    error instanceof Fault
      ? error.message
      : `An internal error occurred. The server log has details under job id ${id}.`;
  return { state: 'failed', result_json: null, error: text };
}
