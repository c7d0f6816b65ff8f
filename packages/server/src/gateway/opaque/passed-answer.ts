import { faultBody } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import { type Frames, writeFrame } from '@floe/wire/sse';
import type { UpstreamHead, UpstreamHeaders } from '../../providers/transport.ts';
import { answerHeaders } from '../answer-headers.ts';
import { needsContent } from '../booked-usage.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerSink } from '../plan.ts';
import { responsesFailure } from '../responses-failure.ts';
import { headerOf, UpstreamRefusal } from '../upstream-fault.ts';
import { type AnswerTap, answerTapFor } from './answer-tap.ts';
import { answerHeadersOf } from './headers.ts';
import type { Meaning } from './resource-path.ts';
import { StreamTap } from './stream-tap.ts';

/** What is held of a stream that has brought no content yet; more than this is content. */
const HELD_BYTES = 1024 * 1024;
const EMPTY = Buffer.alloc(0);
/** Streams of these surfaces say when they are over. */
const SAYS_ITS_END = new Set(['chat', 'responses', 'messages']);

/** What became of an answer, for whoever asked for it. */
export interface Passed {
  status: number;
  /** Nothing the client could miss is still to come. */
  whole: boolean;
  /** A stream told an error of its own. */
  erred: boolean;
  /** What the answer says was used is news: it was made by this request. */
  readonly counts: boolean;
  /** Called with the id of a stored answer as soon as a stream announces it. */
  onStored: ((id: string) => void) | null;
}

/** Headers of an answer that passes, flat: the gateway's own, and the upstream's but for those of the same names. */
export function passedHeaders(x: Exchange, headers: UpstreamHeaders): string[] {
  const type = headerOf(headers, 'content-type');
  const own = answerHeaders(x, type ?? '').slice(type === undefined ? 2 : 0);
  const names = new Set(own.filter((_, at) => at % 2 === 0));
  const theirs = answerHeadersOf(headers);
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
export class PassedAnswer implements AnswerSink {
  started = false;
  readonly whole = false;
  #x: Exchange;
  #passed: Passed;
  #status: number;
  #headers: UpstreamHeaders;
  #stream: StreamTap | null;
  #tap: AnswerTap | null;
  #saysItsEnd: boolean;
  #isApi: boolean;
  #meaning: Meaning;
  /** It passes in whole events. */
  #isMetered: boolean;
  #held: Buffer[] = [];
  #size = 0;
  /** Of a metered stream: the event that is not whole yet. */
  #rest: Buffer = EMPTY;

  constructor(x: Exchange, meaning: Meaning, passed: Passed, head: UpstreamHead) {
    const { status, headers } = head;
    this.#x = x;
    this.#passed = passed;
    this.#status = status;
    this.#headers = headers;
    const type = headerOf(headers, 'content-type') ?? '';
    const readable = (headerOf(headers, 'content-encoding') ?? 'identity') === 'identity';
    const isStream = readable && /^\s*text\/event-stream\b/i.test(type);
    this.#stream = isStream ? new StreamTap() : null;
    this.#tap = readable && !isStream ? answerTapFor(type, meaning.results) : null;
    this.#isApi = meaning.jsonOnly;
    this.#meaning = meaning;
    this.#isMetered = isStream && x.admission !== null && x.admission.grant.reserved !== null;
    this.#saysItsEnd = isStream && SAYS_ITS_END.has(meaning.surface);
  }

  get heard(): boolean {
    return this.started;
  }

  push(chunk: Buffer): boolean {
    this.#tap?.push(chunk);
    const stream = this.#stream;
    const frames = stream ? this.#listen(stream, chunk) : null;
    const bytes = this.#isMetered ? this.#wholeEvents(frames, chunk) : chunk;
    if (this.started) return bytes.length === 0 || this.#x.client.write(bytes);
    this.#held.push(bytes);
    this.#size += bytes.length;
    const holds = stream !== null && !stream.content && this.#size <= HELD_BYTES;
    return holds ? true : this.#start();
  }

  /** Events that can no longer be told apart pass as they come from there on, what was kept of them included. */
  #wholeEvents(frames: Frames | null, chunk: Buffer): Buffer {
    const kept = this.#rest;
    this.#rest = this.#stream?.rest() ?? EMPTY;
    if (frames) return frames.bytes;
    this.#isMetered = false;
    this.#rest = EMPTY;
    return Buffer.concat([kept, chunk]);
  }

  end(): void {
    const stream = this.#stream;
    if (stream?.failed && !this.started) throw this.#heldFailure();
    if (stream && this.#saysItsEnd && !stream.ended)
      throw new Fault('upstream_stream_broken', 'The provider closed the stream before its last event.');
    if (this.#tap && this.#isApi && this.#tap.broken())
      throw new Fault('upstream_stream_broken', 'The provider closed the answer in the middle of its JSON.');
    if (!this.started) this.#start();
    if (this.#rest.length > 0) this.#x.client.write(this.#rest);
    if (this.#tap) this.#count(this.#tap);
    this.#passed.whole = true;
    this.#x.client.end();
  }

  cut(): void {
    // What a stream told of usage was noted as it came.
  }

  /** An answer that is not ours breaks off as it does upstream; what the gateway ends it ends between two events. */
  failure(fault: Fault): string | null {
    if (!this.#isMetered || fault.source === 'upstream') return null;
    const { id, surface } = this.#x;
    if (surface.faultShape === 'anthropic') return writeFrame('error', faultBody(fault, id, 'anthropic'));
    if (this.#meaning.surface === 'responses')
      return responsesFailure(fault, this.#stream?.response ?? null, this.#stream?.lastData ?? '', id);
    return writeFrame(undefined, faultBody(fault, id, 'openai'));
  }

  /** What an answer in one body used, or brought where it does not say. */
  #count(tap: AnswerTap): void {
    if (!this.#passed.counts) return;
    const { answer } = this.#x;
    answer.reportUsage(tap.usage() ?? answer.usage);
    answer.setResults(tap.byModel);
    if (needsContent(this.#x, tap.size)) answer.setContent(tap.contentBytes());
  }

  #listen(stream: StreamTap, chunk: Buffer): Frames | null {
    const { answer } = this.#x;
    const frames = stream.push(chunk);
    if (this.#passed.counts) {
      answer.reportUsage(stream.usage ?? null);
      answer.setContent(stream.contentBytes, stream.contentPieces);
    }
    answer.setFinish(stream.finish);
    if (stream.ended) this.#passed.whole = true;
    if (stream.erred) this.#passed.erred = true;
    const { responseId } = stream;
    answer.setResponseId(responseId);
    if (responseId !== null && this.#passed.onStored) {
      this.#passed.onStored(responseId);
      this.#passed.onStored = null;
    }
    return frames;
  }

  #start(): boolean {
    const { client, gateway } = this.#x;
    this.started = true;
    this.#passed.status = this.#status;
    if (this.#stream) this.#x.progress.contentSent(gateway.clock.monotonic());
    client.open(this.#status, passedHeaders(this.#x, this.#headers));
    let flowing = true;
    for (const bytes of this.#held) flowing = client.write(bytes);
    this.#held = [];
    return flowing;
  }

  /** The stream's own error, told with its own bytes when nobody else answers instead. */
  #heldFailure(): UpstreamRefusal {
    return new UpstreamRefusal(
      this.#status,
      headerOf(this.#headers, 'content-type') ?? 'text/event-stream',
      Buffer.concat(this.#held, this.#size),
    );
  }
}
