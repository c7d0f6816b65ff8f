import { formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { formatSseFrame, type SseFrames } from '@floe/wire/sse';
import type { UpstreamHeaders, UpstreamResponseHead } from '../../providers/transport.ts';
import { buildAnswerHeaders } from '../answer-headers.ts';
import { needsContentCount } from '../charged-usage.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerSink } from '../plan.ts';
import { formatResponsesFailure } from '../responses-failure.ts';
import { ForwardedUpstreamError, readUpstreamHeader } from '../upstream-fault.ts';
import { type AnswerTap, createAnswerTap } from './answer-tap.ts';
import { forwardedAnswerHeaders } from './headers.ts';
import type { ResourceReference } from './resource-reference.ts';
import { StreamTap } from './stream-tap.ts';

/** What is held of a stream that has brought no content yet; more than this is content. */
const MAX_HELD_BYTES = 1024 * 1024;
const EMPTY = Buffer.alloc(0);
/** Streams of these surfaces say when they are over. */
const SURFACES_WITH_END_EVENT = new Set(['chat', 'responses', 'messages']);

/** What became of an answer, for whoever asked for it. */
export interface OpaqueAnswerState {
  status: number;
  /** Nothing the client could miss is still to come. */
  isComplete: boolean;
  /** A stream told an error of its own. */
  hasError: boolean;
  /** What the answer says was used is news: it was made by this request. */
  readonly countsUsage: boolean;
  /** Called with the id of a stored answer as soon as a stream announces it. */
  onStored: ((id: string) => void) | null;
}

/** Headers of an answer that passes, flat: the gateway's own, and the upstream's but for those of the same names. */
export function mergeAnswerHeaders(x: Exchange, headers: UpstreamHeaders): string[] {
  const type = readUpstreamHeader(headers, 'content-type');
  const own = buildAnswerHeaders(x, type ?? '').slice(type === undefined ? 2 : 0);
  const names = new Set(own.filter((_, at) => at % 2 === 0));
  const theirs = forwardedAnswerHeaders(headers);
  const flat = [...own];
  for (let i = 0; i < theirs.length; i += 2)
    if (!names.has(theirs[i] ?? '')) flat.push(theirs[i] ?? '', theirs[i + 1] ?? '');
  return flat;
}

/**
 * An answer passed on byte for byte. A stream of events is held until its first content, so that one which begins
 * with its error can be asked for elsewhere; one that breaks off after content breaks off for the client too. A stream
 * that a hard budget pays for passes in whole events, so that it can end with the error when the budget is used up.
 */
export class OpaqueAnswer implements AnswerSink {
  isContentSent = false;
  readonly isComplete = false;
  #x: Exchange;
  #state: OpaqueAnswerState;
  #status: number;
  #headers: UpstreamHeaders;
  #streamTap: StreamTap | null;
  #answerTap: AnswerTap | null;
  #hasEndEvent: boolean;
  #isApi: boolean;
  #resource: ResourceReference;
  /** It passes in whole events. */
  #isMetered: boolean;
  #held: Buffer[] = [];
  #size = 0;
  /** Of a metered stream: the event that is not whole yet. */
  #partialEvent: Buffer = EMPTY;

  constructor(
    x: Exchange,
    resource: ResourceReference,
    state: OpaqueAnswerState,
    head: UpstreamResponseHead,
  ) {
    const { status, headers } = head;
    this.#x = x;
    this.#state = state;
    this.#status = status;
    this.#headers = headers;
    const type = readUpstreamHeader(headers, 'content-type') ?? '';
    const readable = (readUpstreamHeader(headers, 'content-encoding') ?? 'identity') === 'identity';
    const isStream = readable && /^\s*text\/event-stream\b/i.test(type);
    this.#streamTap = isStream ? new StreamTap() : null;
    this.#answerTap = readable && !isStream ? createAnswerTap(type, resource.isBatchResults) : null;
    this.#isApi = resource.isJsonOnly;
    this.#resource = resource;
    this.#isMetered = isStream && x.admission !== null && x.admission.grant.reservedNanoUsd !== null;
    this.#hasEndEvent = isStream && SURFACES_WITH_END_EVENT.has(resource.surface);
  }

  get hasContent(): boolean {
    return this.isContentSent;
  }

  push(chunk: Buffer): boolean {
    this.#answerTap?.push(chunk);
    const stream = this.#streamTap;
    const frames = stream ? this.#inspect(stream, chunk) : null;
    const bytes = this.#isMetered ? this.#takeWholeEvents(frames, chunk) : chunk;
    if (this.isContentSent) return bytes.length === 0 || this.#x.client.write(bytes);
    this.#held.push(bytes);
    this.#size += bytes.length;
    const holds = stream !== null && !stream.hasContent && this.#size <= MAX_HELD_BYTES;
    return holds ? true : this.#start();
  }

  /** Events that can no longer be told apart pass as they come from there on, what was kept of them included. */
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
    if (stream && this.#hasEndEvent && !stream.isComplete)
      throw new Fault('upstream_stream_broken', 'The provider closed the stream before its last event.');
    if (this.#answerTap && this.#isApi && this.#answerTap.isTruncated())
      throw new Fault('upstream_stream_broken', 'The provider closed the answer in the middle of its JSON.');
    if (!this.isContentSent) this.#start();
    if (this.#partialEvent.length > 0) this.#x.client.write(this.#partialEvent);
    if (this.#answerTap) this.#recordUsage(this.#answerTap);
    this.#state.isComplete = true;
    this.#x.client.end();
  }

  abort(): void {
    // What a stream told of usage was noted as it came.
  }

  /** An answer that is not ours breaks off as it does upstream; what the gateway ends it ends between two events. */
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

  /** What an answer in one body used, or brought where it does not say. */
  #recordUsage(tap: AnswerTap): void {
    if (!this.#state.countsUsage) return;
    const { answer } = this.#x;
    answer.setUsage(tap.usage() ?? answer.usage);
    answer.setResults(tap.byModel);
    if (needsContentCount(this.#x, tap.size)) answer.setContent(tap.contentBytes());
  }

  #inspect(stream: StreamTap, chunk: Buffer): SseFrames | null {
    const { answer } = this.#x;
    const frames = stream.push(chunk);
    if (this.#state.countsUsage) {
      answer.setUsage(stream.usage ?? null);
      answer.setContent(stream.contentBytes, stream.contentChunks);
    }
    answer.setFinishReason(stream.finishReason);
    if (stream.isComplete) this.#state.isComplete = true;
    if (stream.hasError) this.#state.hasError = true;
    const { responseId } = stream;
    answer.setResponseId(responseId);
    if (responseId !== null && this.#state.onStored) {
      this.#state.onStored(responseId);
      this.#state.onStored = null;
    }
    return frames;
  }

  #start(): boolean {
    const { client, gateway } = this.#x;
    this.isContentSent = true;
    this.#state.status = this.#status;
    if (this.#streamTap) this.#x.progress.markContentSent(gateway.clock.monotonic());
    client.startAnswer(this.#status, mergeAnswerHeaders(this.#x, this.#headers));
    let flowing = true;
    for (const bytes of this.#held) flowing = client.write(bytes);
    this.#held = [];
    return flowing;
  }

  /** The stream's own error, told with its own bytes when nobody else answers instead. */
  #heldRefusal(): ForwardedUpstreamError {
    return new ForwardedUpstreamError(
      this.#status,
      readUpstreamHeader(this.#headers, 'content-type') ?? 'text/event-stream',
      Buffer.concat(this.#held, this.#size),
    );
  }
}
