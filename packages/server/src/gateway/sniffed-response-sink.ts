import type { Fault } from '@floe/contract/faults';
import type { ResponseSink } from './attempt-plan.ts';

/** Enough for a byte order mark, blank lines and the longest field name of an event stream. */
const MAX_START_BYTES = 64;
/** The start of an event stream: a field or a comment (WHATWG HTML, section 9.2.6). */
const STREAM_START = /^(?:data|event|id|retry)?:/;
const FIELD_NAMES = ['data:', 'event:', 'id:', 'retry:', ':'];

/**
 * Passes a response to the sink for its kind, which it determines from the first bytes. Some providers
 * send an event stream without its content type, and official SDKs accept this. JSON cannot start like
 * an event stream, so the kind is never ambiguous.
 */
export class SniffedResponseSink implements ResponseSink {
  readonly #createSink: (streamed: boolean) => ResponseSink;
  /** Whether the response is an event stream, or may be one. */
  isStream = true;
  #sink: ResponseSink | null = null;
  #start: Buffer = Buffer.alloc(0);

  constructor(createSink: (streamed: boolean) => ResponseSink) {
    this.#createSink = createSink;
  }

  get hasContent(): boolean {
    return this.#sink?.hasContent ?? false;
  }

  get isContentSent(): boolean {
    return this.#sink?.isContentSent ?? false;
  }

  get isComplete(): boolean {
    return this.#sink?.isComplete ?? false;
  }

  push(chunk: Buffer): boolean {
    if (this.#sink) return this.#sink.push(chunk);
    this.#start = this.#start.length === 0 ? chunk : Buffer.concat([this.#start, chunk]);
    const streamed = isStreamStart(this.#start);
    return streamed === undefined || this.#choose(streamed);
  }

  end(): void {
    if (!this.#sink) this.#choose(false);
    this.#sink?.end();
  }

  tryComplete(): boolean {
    return this.#sink?.tryComplete?.() ?? false;
  }

  abort(): void {
    this.#sink?.abort();
  }

  formatError(fault: Fault): string | null {
    return this.#sink?.formatError(fault) ?? null;
  }

  #choose(streamed: boolean): boolean {
    this.isStream = streamed;
    this.#sink = this.#createSink(streamed);
    return this.#start.length === 0 || this.#sink.push(this.#start);
  }
}

/** Returns undefined if more bytes are required. */
function isStreamStart(bytes: Buffer): boolean | undefined {
  const text = bytes
    .toString('utf8', 0, MAX_START_BYTES)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (STREAM_START.test(text)) return true;
  const mayContinue = FIELD_NAMES.some((name) => name.startsWith(text));
  return mayContinue && bytes.length < MAX_START_BYTES ? undefined : false;
}
