import type { Fault } from '@floe/contract/faults';
import type { ResponseSink } from './attempt-plan.ts';
import {
  BufferedResponseLimiter,
  createResponseTooLargeFault,
  MAX_BUFFERED_RESPONSE_BYTES,
} from './buffered-response-limiter.ts';
import type { ClientOutput } from './client-output.ts';
import type { Exchange } from './exchange-record.ts';
import type { ExchangeCapacity } from './overload/overload-manager.ts';
import { setPendingPolicyEvaluation } from './policy/pending-evaluation.ts';
import { StreamPolicyFilter } from './policy/stream-policy-filter.ts';
import { buildStreamHeaders } from './response-headers.ts';

/**
 * Maximum size of the buffered start of a stream without content. A larger start counts as content. The announcement
 * of a response repeats the instructions and tools of the request in several events, so the limit is higher than for
 * other streams.
 */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** Buffers a complete response. The client receives nothing until the last byte has arrived. */
export class BufferedResponseSink implements ResponseSink {
  readonly hasContent = false;
  readonly isContentSent = false;
  readonly isComplete = false;
  readonly #memory: BufferedResponseLimiter;
  #limitBytes: number;
  #onBody: (body: Buffer) => void;
  #tooLarge: (start: Buffer) => Error;
  #chunks: Buffer[] = [];
  #size = 0;

  /**
   * @param judge receives the complete body and responds to the client, or throws
   * @param tooLarge receives the start of a body that exceeds the limit
   */
  constructor(
    capacity: ExchangeCapacity,
    limitBytes: number,
    judge: (body: Buffer) => void,
    tooLarge: (start: Buffer) => Error,
  ) {
    this.#memory = new BufferedResponseLimiter(capacity);
    this.#limitBytes = limitBytes;
    this.#onBody = judge;
    this.#tooLarge = tooLarge;
  }

  push(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size > this.#limitBytes) throw this.#tooLarge(this.#chunks[0] ?? chunk);
    this.#memory.add(chunk.length);
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#size);
    this.#onBody(stripByteOrderMark(body));
  }

  abort(): void {
    this.#memory.release();
  }

  formatError(fault: Fault): string {
    throw new Error(`a buffered response has not started, so ${fault.code} must be sent as a complete error`);
  }
}

/**
 * Removes a byte order mark before JSON. It has no meaning there (RFC 8259, section 8.1), and most parsers
 * reject it.
 */
function stripByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/**
 * Creates a sink for a JSON response. The sink buffers the response and passes it to `judge`, which
 * forwards it only if it is complete and valid.
 */
export function createBufferedResponseSink(
  { capacity }: Exchange,
  judge: (body: Buffer) => void,
): ResponseSink {
  return new BufferedResponseSink(capacity, MAX_BUFFERED_RESPONSE_BYTES, judge, createResponseTooLargeFault);
}

/**
 * Sends a streamed response to the client. Bytes before the first content are buffered, so that another attempt
 * can still replace them. Response policies evaluate all bytes before they are forwarded.
 */
export class ClientStream implements ClientOutput {
  isContentSent = false;
  #x: Exchange;
  #held: (Buffer | string)[] = [];
  #heldBytes = 0;
  #incompleteBytes = 0;
  #policyFilter: StreamPolicyFilter | null;
  /**
   * For the buffered start and an incomplete event, and with policies the content, which is kept until they have
   * evaluated all of it.
   */
  readonly #memory: BufferedResponseLimiter;
  /** Whether there is content that the policies have not released. */
  #hasUnfilteredContent = false;
  #isWaiting = false;
  #isAnnouncement = false;
  /** Sends the end of the response after the evaluation in a worker thread. */
  #onEvaluated: ((rest: Buffer) => void) | null = null;

  constructor(x: Exchange) {
    this.#x = x;
    this.#memory = new BufferedResponseLimiter(x.capacity);
    this.#policyFilter = x.policy.answerContext && new StreamPolicyFilter(x, x.policy.answerContext);
  }

  /** Whether the client has received more than the announcement of a response. */
  get hasContent(): boolean {
    return this.isContentSent && !this.#isAnnouncement;
  }

  write(bytes: Buffer | string): boolean {
    return this.#policyFilter ? this.#writeFiltered(this.#policyFilter, bytes) : this.#writeOrHold(bytes);
  }

  /**
   * Sends all buffered bytes and stops buffering. May be called again with the first content.
   * @param isAnnouncement whether there is no content yet, but another attempt must not replace the response
   */
  start(isAnnouncement = false): void {
    this.#isAnnouncement = isAnnouncement;
    if (this.isContentSent) this.#markContentSent();
    else if (this.#policyFilter) this.#hasUnfilteredContent = true;
    else this.#sendHeld();
  }

  end(): void {
    const filter = this.#policyFilter;
    if (filter === null) return this.#finish();
    this.#whenEvaluated(filter, filter.end(), (rest) => {
      if (rest.length > 0) this.#writeOrHold(rest);
      this.#finish();
    });
  }

  evaluateEnd(bytes: Buffer | string, use: (judged: Buffer | string) => void): void {
    const filter = this.#policyFilter;
    if (filter === null) return use(bytes);
    this.#whenEvaluated(filter, Buffer.concat([this.#filter(filter, bytes), filter.end()]), (judged) => {
      this.#policyFilter = null;
      use(judged);
    });
  }

  /** Reserves memory for the incomplete event at the end of what has been received. @throws Fault `overloaded` */
  reserveIncompleteEvent(bytes: number): void {
    this.#incompleteBytes = bytes;
    this.#memory.reserve(this.#keptBytes);
  }

  abort(): void {
    if (!this.isContentSent) this.#memory.release();
  }

  formatError(fault: Fault): string | null {
    return this.#policyFilter?.fault ? this.#policyFilter.formatError(fault) : null;
  }

  get #keptBytes(): number {
    return (
      this.#heldBytes +
      this.#incompleteBytes +
      (this.#policyFilter === null ? 0 : this.#x.answer.contentBytes)
    );
  }

  #finish(): void {
    this.#sendHeld();
    this.#x.client.end();
  }

  #writeFiltered(filter: StreamPolicyFilter, bytes: Buffer | string): boolean {
    const isFlowing = this.#pass(filter, this.#filter(filter, bytes));
    if (filter.pending) this.#wait(filter, filter.pending);
    return isFlowing;
  }

  /** @throws Fault `upstream_error` if the response is too large, or `overloaded` */
  #filter(filter: StreamPolicyFilter, bytes: Buffer | string): Buffer {
    const encoded = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#memory.add(encoded.length, this.#keptBytes);
    return filter.filter(encoded);
  }

  /** Sends what the policies have released. @throws Fault of the policies */
  #pass(filter: StreamPolicyFilter, good: Buffer): boolean {
    // If a response is denied before any content, the whole request fails and nothing is sent.
    const isReleased = filter.hasContent || (filter.fault === null && filter.pending === null);
    const opens = this.#hasUnfilteredContent && !this.isContentSent && isReleased;
    const flowing = good.length === 0 || this.#writeOrHold(good);
    if (opens) this.#sendHeld();
    if (filter.fault) throw filter.fault;
    return flowing;
  }

  /**
   * Passes the rest of the response to `use`. If the evaluation runs in a worker thread, first waits for its
   * end.
   */
  #whenEvaluated(filter: StreamPolicyFilter, ready: Buffer, use: (bytes: Buffer) => void): void {
    if (filter.pending === null) {
      if (filter.fault) throw filter.fault;
      return use(ready);
    }
    const next = (rest: Buffer) => use(Buffer.concat([ready, rest]));
    this.#onEvaluated = next;
    this.#wait(filter, filter.pending);
  }

  #wait(filter: StreamPolicyFilter, pending: Promise<void>): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const resume = (): boolean => {
      this.#isWaiting = false;
      const use = this.#onEvaluated;
      if (use === null || filter.fault) return this.#pass(filter, filter.take());
      this.#onEvaluated = null;
      use(filter.take());
      return true;
    };
    setPendingPolicyEvaluation(this.#x, { done: pending.then(resume), cancel: () => filter.cancel() });
  }

  #writeOrHold(bytes: Buffer | string): boolean {
    if (this.isContentSent) return this.#x.client.write(bytes);
    this.#held.push(bytes);
    this.#heldBytes += Buffer.byteLength(bytes);
    this.#memory.reserve(this.#keptBytes);
    return this.#heldBytes <= MAX_HELD_BYTES || this.#sendHeld();
  }

  /** Sends the buffered start of the stream. Returns false if the client reads more slowly than the provider sends. */
  #sendHeld(): boolean {
    const { client, progress } = this.#x;
    if (this.isContentSent) return true;
    this.isContentSent = true;
    let isFlowing = true;
    if (!progress.isHeadSent) client.startAnswer(200, buildStreamHeaders(this.#x));
    this.#markContentSent();
    for (const bytes of this.#held) isFlowing = client.write(bytes);
    this.#held = [];
    this.#heldBytes = 0;
    this.#memory.reserve(this.#keptBytes);
    return isFlowing;
  }

  #markContentSent(): void {
    const { gateway, progress } = this.#x;
    progress.markContentSent(this.#isAnnouncement ? null : gateway.clock.monotonic());
  }
}
