import { Fault } from '@floe/contract/faults';
import type { UpstreamHeaders } from '../../providers/transport.ts';
import { answerHeaders } from '../answer-headers.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerSink } from '../plan.ts';
import { headerOf, UpstreamRefusal } from '../upstream-fault.ts';
import { type AnswerTap, answerTapFor } from './answer-tap.ts';
import { answerHeadersOf } from './headers.ts';
import type { Meaning } from './resource-path.ts';
import { StreamTap } from './stream-tap.ts';

/** What is held of a stream that has brought no content yet; more than this is content. */
const HELD_BYTES = 1024 * 1024;
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
 * with its error can be asked for elsewhere; one that breaks off after content breaks off for the client too.
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
  #held: Buffer[] = [];
  #size = 0;

  constructor(x: Exchange, meaning: Meaning, passed: Passed, status: number, headers: UpstreamHeaders) {
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
    this.#saysItsEnd = isStream && SAYS_ITS_END.has(meaning.surface);
  }

  get heard(): boolean {
    return this.started;
  }

  push(chunk: Buffer): boolean {
    this.#tap?.push(chunk);
    const stream = this.#stream;
    if (stream) this.#listen(stream, chunk);
    if (this.started) return this.#x.client.write(chunk);
    this.#held.push(chunk);
    this.#size += chunk.length;
    const holds = stream !== null && !stream.content && this.#size <= HELD_BYTES;
    return holds ? true : this.#start();
  }

  end(): void {
    const stream = this.#stream;
    if (stream?.failed && !this.started) throw this.#heldFailure();
    if (stream && this.#saysItsEnd && !stream.ended)
      throw new Fault('upstream_stream_broken', 'The provider closed the stream before its last event.');
    if (this.#tap && this.#isApi && this.#tap.broken())
      throw new Fault('upstream_stream_broken', 'The provider closed the answer in the middle of its JSON.');
    if (!this.started) this.#start();
    if (this.#passed.counts && this.#tap) {
      this.#x.usage = this.#tap.usage() ?? this.#x.usage;
      this.#x.results = this.#tap.byModel;
    }
    this.#passed.whole = true;
    this.#x.client.end();
  }

  cut(): void {
    // What a stream told of usage was noted as it came.
  }

  failure(): null {
    return null;
  }

  #listen(stream: StreamTap, chunk: Buffer): void {
    stream.push(chunk);
    if (this.#passed.counts) this.#x.usage = stream.usage ?? null;
    this.#x.finish = stream.finish;
    if (stream.ended) this.#passed.whole = true;
    if (stream.erred) this.#passed.erred = true;
    const { responseId } = stream;
    this.#x.responseId = responseId;
    if (responseId === null || !this.#passed.onStored) return;
    this.#passed.onStored(responseId);
    this.#passed.onStored = null;
  }

  #start(): boolean {
    const { client, gateway } = this.#x;
    this.started = true;
    this.#passed.status = this.#status;
    if (this.#stream) this.#x.firstTokenAt = gateway.clock.monotonic();
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
