import { formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { formatSseFrame, type SseFrames } from '@floe/wire/sse';
import type { UpstreamHeaders, UpstreamResponseHead } from '../../providers/transport.ts';
import type { ResponseSink } from '../attempt-plan.ts';
import { isBackgroundRequest } from '../background/background-request.ts';
import { BufferedResponseLimiter } from '../buffered-response-limiter.ts';
import { mustCountContent } from '../charged-usage.ts';
import type { Exchange } from '../exchange-record.ts';
import { buildResponseHeaders, mergeForwardedHeaders } from '../response-headers.ts';
import { formatResponsesFailure } from '../responses-failure.ts';
import { ForwardedUpstreamError, getUpstreamHeader } from '../upstream-error.ts';
import { buildForwardedResponseHeaders, omitHeaders } from './forwarded-headers.ts';
import type { ResultLines } from './resource-owner-store.ts';
import type { ResourceReference } from './resource-reference.ts';
import { createResponseBodyObserver, type ResponseBodyObserver } from './response-body-observer.ts';
import { StreamObserver } from './stream-observer.ts';

/** Maximum number of buffered bytes of a stream without content. A larger amount counts as content. */
const MAX_HELD_BYTES = 1024 * 1024;
const EMPTY = Buffer.alloc(0);
/** Surfaces whose responses contain the containers in which the provider ran code. */
const SURFACES_WITH_CONTAINERS = new Set(['responses', 'messages']);
/** Surfaces whose streams have a final event. */
const SURFACES_WITH_END_EVENT = new Set(['chat', 'completions', 'responses', 'messages']);

/** The state of a response that is forwarded without parsing. */
export interface OpaqueResponseState {
  status: number;
  /** Whether the client has received everything that it needs. */
  isComplete: boolean;
  /** Whether the stream contained an error event. */
  hasError: boolean;
  /** Whether to count the reported usage, because this request created the response. */
  readonly countsUsage: boolean;
  /** The lines of batch results that this request counts. */
  resultLines: ResultLines;
  /** Called with the id of what a stream creates, such as a stored response, as soon as the stream contains it. */
  onStored: ((id: string) => void) | null;
}

/** Returns the headers for a forwarded response as a flat list (`mergeForwardedHeaders`). */
export function mergeResponseHeaders(x: Exchange, headers: UpstreamHeaders): string[] {
  const type = getUpstreamHeader(headers, 'content-type');
  const own = buildResponseHeaders(x, type ?? '').slice(type === undefined ? 2 : 0);
  return mergeForwardedHeaders(own, buildForwardedResponseHeaders(headers));
}

/**
 * Forwards a response unchanged. An event stream is buffered until its first content, so that
 * another target can be tried if the stream starts with an error. If a stream is cut off after
 * content, the client's stream is cut off too. A stream under a hard budget is forwarded in
 * complete events, so that it can end with an error when the budget is exhausted.
 */
export class OpaqueResponseSink implements ResponseSink {
  isContentSent = false;
  readonly isComplete = false;
  #x: Exchange;
  #state: OpaqueResponseState;
  #status: number;
  #headers: UpstreamHeaders;
  #streamTap: StreamObserver | null;
  #answerTap: ResponseBodyObserver | null;
  #hasEndEvent: boolean;
  #isApi: boolean;
  #resource: ResourceReference;
  /** Whether the stream is forwarded in complete events, because a hard budget applies. */
  #isMetered: boolean;
  /** Whether the client has received only the announcement of a background response. */
  #isAnnouncement = false;
  #held: Buffer[] = [];
  #size = 0;
  readonly #memory: BufferedResponseLimiter;
  /** The incomplete event at the end of a metered stream. */
  #partialEvent: Buffer = EMPTY;

  constructor(
    x: Exchange,
    resource: ResourceReference,
    state: OpaqueResponseState,
    head: UpstreamResponseHead,
  ) {
    const { status, headers } = head;
    this.#x = x;
    this.#memory = new BufferedResponseLimiter(x.capacity);
    this.#state = state;
    this.#status = status;
    this.#headers = headers;
    const type = getUpstreamHeader(headers, 'content-type') ?? '';
    const readable = (getUpstreamHeader(headers, 'content-encoding') ?? 'identity') === 'identity';
    const isStream = readable && /^\s*text\/event-stream\b/i.test(type);
    this.#streamTap = isStream ? new StreamObserver(x.request.opaque?.choices ?? 1) : null;
    this.#answerTap =
      readable && !isStream
        ? createResponseBodyObserver(x.capacity, type, resource.isBatchResults, state.resultLines.from)
        : null;
    this.#isApi = resource.isJsonOnly;
    this.#resource = resource;
    this.#isMetered = isStream && x.admission !== null && x.admission.grant.reservedNanoUsd !== null;
    this.#hasEndEvent = isStream && SURFACES_WITH_END_EVENT.has(resource.surface);
  }

  get hasContent(): boolean {
    return this.isContentSent && !this.#isAnnouncement;
  }

  push(chunk: Buffer): boolean {
    this.#answerTap?.push(chunk);
    const stream = this.#streamTap;
    const frames = stream ? this.#inspect(stream, chunk) : null;
    const bytes = this.#isMetered ? this.#takeWholeEvents(frames, chunk) : chunk;
    if (this.#isAnnouncement && stream?.hasContent) this.#markContentSent(stream);
    if (this.isContentSent) {
      this.#reserveMemory();
      return bytes.length === 0 || this.#x.client.write(bytes);
    }
    this.#held.push(bytes);
    this.#size += bytes.length;
    this.#reserveMemory();
    const holds =
      stream !== null && !this.#mustSend(stream) && !stream.hasContent && this.#size <= MAX_HELD_BYTES;
    return holds ? true : this.#start();
  }

  /** Reserves memory for the buffered start and the incomplete event. */
  #reserveMemory(): void {
    this.#memory.reserve((this.isContentSent ? 0 : this.#size) + (this.#streamTap?.restBytes ?? 0));
  }

  /** Returns whether a background response exists and has not failed, so that no other target may generate it again. */
  #mustSend({ responseId, hasError }: StreamObserver): boolean {
    return responseId !== null && !hasError && isBackgroundRequest(this.#x.request.prompt);
  }

  /**
   * Returns the complete events. If events can no longer be separated, returns all further bytes as they
   * arrive, including buffered ones.
   */
  #takeWholeEvents(frames: SseFrames | null, chunk: Buffer): Buffer {
    const kept = this.#partialEvent;
    this.#partialEvent = this.#streamTap?.rest() ?? EMPTY;
    if (frames) return frames.bytes;
    this.#isMetered = false;
    this.#partialEvent = EMPTY;
    return Buffer.concat([kept, chunk]);
  }

  end(): void {
    const stream = this.#streamTap;
    if (stream?.failedBeforeContent && !this.isContentSent) throw this.#heldRefusal();
    if (stream && (this.#hasEndEvent || stream.hasFinalEvent) && !stream.isComplete)
      throw new Fault(
        'upstream_stream_broken',
        stream.isUnreadable
          ? 'The provider sent a stream event that is too large. Floe cannot determine whether the stream is complete.'
          : 'The provider closed the stream before the last event. Send the request again.',
      );
    if (this.#answerTap && this.#isApi && this.#answerTap.isTruncated())
      throw new Fault(
        'upstream_stream_broken',
        'The provider closed the connection in the middle of a JSON response. Send the request again.',
      );
    if (!this.isContentSent) this.#start();
    if (this.#partialEvent.length > 0) this.#x.client.write(this.#partialEvent);
    if (this.#answerTap) this.#recordUsage(this.#answerTap);
    // Only these responses are parsed for containers.
    if (this.#answerTap && this.#hasContainers())
      this.#x.answer.addContainers(this.#answerTap.containerIds());
    this.#state.isComplete = true;
    this.#x.client.end();
  }

  abort(): void {
    // Usage was recorded during the stream. The lines of batch results that the client has received are counted.
    if (this.#answerTap && this.#resource.isBatchResults && this.isContentSent) {
      this.#state.resultLines = { ...this.#state.resultLines, to: this.#answerTap.lines };
      this.#recordUsage(this.#answerTap, false);
    }
    this.#memory.release();
  }

  /**
   * Formats the event that ends a metered stream between two events. Returns null for any other stream, which
   * is cut off for the client in the same way as at the provider.
   */
  formatError(fault: Fault): string | null {
    if (!this.#isMetered || fault.source === 'upstream') return null;
    const { id, surface } = this.#x;
    if (surface.faultShape === 'anthropic')
      return formatSseFrame('error', formatFaultBody(fault, id, 'anthropic'));
    if (this.#resource.surface === 'responses')
      return formatResponsesFailure(
        fault,
        this.#streamTap?.response ?? null,
        this.#streamTap?.lastData ?? '',
        id,
      );
    return formatSseFrame(undefined, formatFaultBody(fault, id, 'openai'));
  }

  /** Records the usage of a response body, or its content if it reports no usage. */
  #recordUsage(tap: ResponseBodyObserver, isComplete = true): void {
    if (!this.#state.countsUsage) return;
    const { answer } = this.#x;
    answer.setUsage(tap.usage(isComplete) ?? answer.usage);
    answer.setResults(tap.byModel);
    if (mustCountContent(this.#x, tap.size)) answer.setContent(tap.contentBytes());
  }

  #hasContainers(): boolean {
    return SURFACES_WITH_CONTAINERS.has(this.#resource.surface);
  }

  #inspect(stream: StreamObserver, chunk: Buffer): SseFrames | null {
    const { answer } = this.#x;
    const frames = stream.push(chunk);
    if (this.#state.countsUsage) {
      answer.setUsage(stream.usage ?? null);
      answer.setContent(stream.contentBytes, stream.contentChunks);
    }
    answer.setFinishReason(stream.finishReason);
    if (stream.containerIds.length > 0 && this.#hasContainers())
      this.#x.answer.addContainers(stream.containerIds.splice(0));
    if (stream.isComplete) this.#state.isComplete = true;
    if (stream.hasError) this.#state.hasError = true;
    const { responseId, createdId } = stream;
    answer.setResponseId(responseId);
    if (createdId !== null && this.#state.onStored) {
      this.#state.onStored(createdId);
      this.#state.onStored = null;
    }
    return frames;
  }

  #start(): boolean {
    const { client } = this.#x;
    this.isContentSent = true;
    this.#state.status = this.#status;
    if (this.#streamTap) this.#markContentSent(this.#streamTap);
    const headers = mergeResponseHeaders(this.#x, this.#headers);
    // A metered stream can end early, with an event of Floe.
    client.startAnswer(this.#status, this.#isMetered ? omitHeaders(headers, 'content-length') : headers);
    let flowing = true;
    for (const bytes of this.#held) flowing = client.write(bytes);
    this.#held = [];
    this.#reserveMemory();
    return flowing;
  }

  #markContentSent(stream: StreamObserver): void {
    const { gateway, progress } = this.#x;
    this.#isAnnouncement = !stream.hasContent && this.#mustSend(stream);
    progress.markContentSent(this.#isAnnouncement ? null : gateway.clock.monotonic());
  }

  /**
   * Returns the error with which the stream started, with its original bytes. Used if no other target
   * responds.
   */
  #heldRefusal(): ForwardedUpstreamError {
    return new ForwardedUpstreamError(
      this.#status,
      getUpstreamHeader(this.#headers, 'content-type') ?? 'text/event-stream',
      Buffer.concat(this.#held, this.#size),
    );
  }
}
