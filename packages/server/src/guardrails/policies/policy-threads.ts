import { setImmediate } from 'node:timers/promises';
import type { FindingKind } from '@floe/conditions/detect/sensitive-data-scan';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import {
  TaskLimitExceededError,
  TaskQueueFullError,
  ThreadPool,
  ThreadPoolClosedError,
} from '../../core/thread-pool.ts';
import type { BufferedPolicyResponse, EvaluatedBody } from './evaluate-bodies.ts';
import type { PolicyEvaluation } from './evaluate-policies.ts';
import type { CompiledPolicy, PolicySet } from './policies.ts';
import type { PolicyRequest } from './policy-request-view.ts';
import type { PolicyTask, PolicyTaskResult, StreamedPolicyResponse } from './policy-tasks.ts';

/** One task per organization at a time leaves a thread for other organizations. */
const THREADS = 2;
const MAX_QUEUED_PER_ORG = 200;
/** The largest body with the most expensive content takes about a tenth of this time. */
const TIMEOUT_MS = 30_000;
const IDLE_MS = 600_000;
const HEAP_MB = 768;
/** Bytes of one organization that wait or are evaluated. A single larger body is accepted. */
const MAX_BYTES_PER_ORG = 64 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const RETRY_AFTER_MS = 1_000;
/** Copying a slice takes less than 1 ms. */
const COPY_SLICE_BYTES = 1024 * 1024;

/** The organization for which policies are evaluated, and the signal that cancels the evaluation. */
export interface PolicyTaskContext {
  readonly orgId: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The load of the policy threads. */
export interface PolicyThreadStats {
  /** Evaluations that wait or run. */
  readonly tasks: number;
  /** Bytes of bodies that were copied for them. */
  readonly bytes: number;
  /** Evaluations that were rejected because a limit was reached. */
  readonly rejected: number;
}

/** The number and limits of the threads. Each setting has a default. Only tests set other values. */
export interface PolicyThreadsOptions {
  readonly threads?: number;
  readonly timeoutMs?: number;
  readonly maxQueuedPerOrg?: number;
  readonly entry?: URL;
}

/**
 * Evaluates policies on large bodies in worker threads, so that the main thread serves other requests.
 * Organizations take turns. Every failure rejects, so that no body passes without an evaluation.
 *
 * All methods throw Fault `overloaded` if too much is waiting or an evaluation takes too long, `shutting_down`
 * if the process ends, `TaskCanceledError` if the client has disconnected, and other errors for a defect.
 */
export class PolicyThreads {
  readonly #pool: ThreadPool;
  readonly #timeoutMs: number;
  readonly #bytesByOrg = new Map<string, number>();
  #tasks = 0;
  #bytes = 0;
  #rejected = 0;

  constructor(clock: Pick<Clock, 'after'>, settings: PolicyThreadsOptions = {}) {
    this.#timeoutMs = settings.timeoutMs ?? TIMEOUT_MS;
    const maxThreads = settings.threads ?? THREADS;
    this.#pool = new ThreadPool({
      entry: settings.entry ?? new URL('./policy-worker.ts', import.meta.url),
      name: 'policies',
      maxThreads,
      maxRunningPerTenant: Math.max(1, maxThreads - 1),
      maxQueuedPerTenant: settings.maxQueuedPerOrg ?? MAX_QUEUED_PER_ORG,
      taskTimeoutMs: this.#timeoutMs,
      idleTimeoutMs: IDLE_MS,
      maxHeapMb: HEAP_MB,
      clock,
    });
  }

  /** Evaluates the request policies and returns the body to send. */
  evaluateRequest(
    policySet: PolicySet,
    request: PolicyRequest,
    caller: PolicyTaskContext,
  ): Promise<EvaluatedBody> {
    return this.#admit(caller, request.body.length, async () => {
      const copy = await copyRequest(policySet, request, true);
      const task: PolicyTask = { name: 'request', source: policySet.source, request: copy };
      const result = await this.#send(caller, task, [copy.body.buffer]);
      for (const digest of result.cleanTexts) policySet.cleanTexts.addDigest(digest);
      return { evaluation: toEvaluation(policySet, result), body: toBody(result, request.body) };
    });
  }

  /** Evaluates the response policies on a complete response and returns the body to send. */
  evaluateResponse(
    policySet: PolicySet,
    response: BufferedPolicyResponse,
    caller: PolicyTaskContext,
  ): Promise<EvaluatedBody> {
    const bytes = response.body.length + response.request.body.length;
    return this.#admit(caller, bytes, async () => {
      // A response of this dialect repeats parts of the request.
      const isCompared = response.dialect === 'responses' && policySet.detects.size > 0;
      const request = await copyRequest(policySet, response.request, isCompared);
      const body = await copyBytes(response.body);
      const result = await this.#send(
        caller,
        { name: 'response', source: policySet.source, response: { ...response, body, request } },
        [body.buffer, request.body.buffer],
      );
      return { evaluation: toEvaluation(policySet, result), body: toBody(result, response.body) };
    });
  }

  /** Evaluates the response policies on a complete stream. */
  evaluateStream(
    policySet: PolicySet,
    response: StreamedPolicyResponse,
    caller: PolicyTaskContext,
  ): Promise<PolicyEvaluation> {
    const { text } = response.answer;
    const bytes = sumLengths([text, ...response.strings]) + response.request.body.length;
    // The thread joins the blocks again.
    const answer = { ...response.answer, text: '' };
    const positions = new Map(response.strings.map((string, at) => [string, at]));
    const blocks = response.blocks.map((block) => positions.get(block) ?? block);
    return this.#admit(caller, bytes, async () => {
      const request = await copyRequest(policySet, response.request, false);
      const result = await this.#send(
        caller,
        { name: 'stream', source: policySet.source, response: { ...response, answer, blocks, request } },
        [request.body.buffer],
      );
      return toEvaluation(policySet, result);
    });
  }

  /** Returns the kinds of findings in texts, in the order in which they occur first. */
  findKinds(
    texts: readonly string[],
    wanted: ReadonlySet<FindingKind>,
    caller: PolicyTaskContext,
  ): Promise<readonly FindingKind[]> {
    const bytes = sumLengths(texts);
    return this.#admit(caller, bytes, async () => {
      const result = await this.#send(caller, { name: 'kinds', texts, kinds: [...wanted] }, []);
      return result.kinds;
    });
  }

  stats(): PolicyThreadStats {
    return { tasks: this.#tasks, bytes: this.#bytes, rejected: this.#rejected };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Runs `evaluate` if its bytes fit the limits, and counts them until it has ended. */
  async #admit<Result>(
    { orgId }: PolicyTaskContext,
    bytes: number,
    evaluate: () => Promise<Result>,
  ): Promise<Result> {
    const own = this.#bytesByOrg.get(orgId) ?? 0;
    if (own > 0 && own + bytes > MAX_BYTES_PER_ORG)
      throw this.#reject(
        'The requests of this organization that are waiting for policy evaluation have reached the size limit.',
      );
    if (this.#bytes > 0 && this.#bytes + bytes > MAX_BYTES)
      throw this.#reject('The requests that are waiting for policy evaluation have reached the size limit.');
    this.#count(orgId, bytes, 1);
    try {
      return await evaluate();
    } catch (error) {
      throw this.#toFault(error);
    } finally {
      this.#count(orgId, -bytes, -1);
    }
  }

  #count(orgId: string, bytes: number, tasks: number): void {
    this.#tasks += tasks;
    this.#bytes += bytes;
    const own = (this.#bytesByOrg.get(orgId) ?? 0) + bytes;
    if (own > 0) this.#bytesByOrg.set(orgId, own);
    else this.#bytesByOrg.delete(orgId);
  }

  /**
   * The reply has the result type of `runPolicyTask`. The worker thread calls this function with every
   * message.
   */
  async #send(
    { orgId, signal }: PolicyTaskContext,
    task: PolicyTask,
    transfer: readonly ArrayBuffer[],
  ): Promise<PolicyTaskResult> {
    const reply = await this.#pool.run(orgId, task, { signal, transfer });
    return reply as PolicyTaskResult;
  }

  #toFault(error: unknown): unknown {
    if (error instanceof TaskQueueFullError)
      return this.#reject('Too many requests of this organization are waiting for policy evaluation.');
    if (error instanceof TaskLimitExceededError)
      return this.#reject(
        error.exceeded === 'time'
          ? `Policy evaluation took longer than ${this.#timeoutMs / 1_000} s.`
          : 'Policy evaluation exceeded its memory limit.',
      );
    if (error instanceof ThreadPoolClosedError)
      return new Fault('shutting_down', 'This process is shutting down. Retry the request.');
    return error;
  }

  #reject(why: string): Fault {
    this.#rejected += 1;
    return new Fault(
      'overloaded',
      `${why} Retry with smaller requests, or with fewer requests at the same time.`,
      {
        retryAfterMs: RETRY_AFTER_MS,
      },
    );
  }
}

/**
 * Copies a request. Without conditions on the request, response policies do not read its body. The positions of strings
 * are not copied, because there can be 65,000, and all of them would be copied at once.
 */
async function copyRequest({ needs }: PolicySet, request: PolicyRequest, readsBody: boolean) {
  const isRead = readsBody || [...needs].some((need) => need.startsWith('request'));
  return { ...request, longStrings: [], body: isRead ? await copyBytes(request.body) : new Uint8Array(0) };
}

/** Copies a body in slices, so that other requests are served in between. */
async function copyBytes(body: Buffer): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(body.length);
  for (let at = 0; at < body.length; at += COPY_SLICE_BYTES) {
    if (at > 0) await setImmediate();
    copy.set(body.subarray(at, at + COPY_SLICE_BYTES), at);
  }
  return copy;
}

function toEvaluation({ policies }: PolicySet, result: PolicyTaskResult): PolicyEvaluation {
  return {
    decisions: result.decisions.map((one) => ({ ...one, policy: policyAt(policies, one.policy) })),
    deniedBy: result.deniedBy === null ? null : policyAt(policies, result.deniedBy),
    redact: new Set(result.redact),
  };
}

function policyAt(policies: readonly CompiledPolicy[], at: number): CompiledPolicy {
  const policy = policies[at];
  if (policy === undefined) throw new Error('a policy thread returned an unknown policy');
  return policy;
}

function toBody({ body }: PolicyTaskResult, given: Buffer): Buffer {
  return body === null ? given : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

function sumLengths(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
