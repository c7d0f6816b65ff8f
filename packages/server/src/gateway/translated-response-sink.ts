import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type CanonicalResponse, ResponseAccumulator, toResponseEvents } from '@floe/wire/canonical-response';
import type {
  ClientDialect,
  ResponseReadOptions,
  ResponseStreamWriter,
  ResponseWriteContext,
  UpstreamDialect,
} from '@floe/wire/dialect';
import { createLostContentDetector } from '@floe/wire/lost-content';
import type { ResponseEvent } from '@floe/wire/response-events';
import type { ResponseSink } from './attempt-plan.ts';
import { parseChargedResponse, recordEventContentSize } from './charged-usage.ts';
import type { ClientOutput } from './client-output.ts';
import type { Exchange } from './exchange-record.ts';
import { applyResponsePolicies } from './policy/apply-response-policies.ts';
import { buildResponseHeaders } from './response-headers.ts';
import { ClientStream, createBufferedResponseSink } from './response-sinks.ts';
import { createJsonResponseEnd, type PendingResponseEnd } from './stored/responses-turn.ts';
import { StreamReplay } from './stream-replay.ts';
import { UpstreamEventStreamSink } from './upstream-event-stream-sink.ts';
import { parseUpstreamJson } from './upstream-json.ts';

/** The dialects, context and settings for translating a response. */
export interface TranslationSettings {
  readonly client: ClientDialect;
  readonly upstream: UpstreamDialect;
  readonly context: ResponseWriteContext;
  readonly readerOptions: ResponseReadOptions;
  readonly isStreamToClient: boolean;
  /** Whether a later attempt may continue the stream. */
  readonly isReplayable: boolean;
}

/**
 * Translates a response from another dialect. Reads the response as events, and writes them as a
 * stream or as a complete response.
 */
export class TranslatedResponseSink implements ResponseSink, PendingResponseEnd {
  #x: Exchange;
  #translation: TranslationSettings;
  #isStreamFromUpstream: boolean;
  #upstreamSink: ResponseSink;
  #output: ClientOutput;
  #writer: ResponseStreamWriter;
  #fold = new ResponseAccumulator();
  #fault: Fault | null = null;
  #text = '';
  /** The first chunk. It is sent when content follows. */
  #firstChunk = '';
  #hasReadContent = false;
  #finished = false;
  #ended = false;
  /** Whether the attempt failed, so that only its usage is still recorded. */
  #isAborted = false;
  /** The text that ends the response. It is sent after the turn has been stored. */
  #finishText: Buffer | string = '';

  constructor(x: Exchange, translation: TranslationSettings, arrivesStreamed: boolean) {
    this.#x = x;
    this.#translation = translation;
    this.#isStreamFromUpstream = arrivesStreamed;
    const replay = translation.isReplayable ? findOrCreateReplay(x, translation) : null;
    this.#output = replay?.output ?? new ClientStream(x);
    this.#writer = replay?.writer ?? translation.client.createResponseWriter(translation.context);
    const write = (event: ResponseEvent) => this.#write(event);
    replay?.begin(translation.context.sealOrigin ?? '', write);
    const take = createLostContentDetector((event) => this.#onEvent(event, replay));
    this.#upstreamSink = arrivesStreamed
      ? new UpstreamEventStreamSink(
          x,
          translation.upstream.createResponseReader(take, translation.readerOptions),
        )
      : createBufferedResponseSink(x, (bytes) => {
          for (const event of toResponseEvents(
            translation.upstream.readCompleteResponse(
              parseChargedResponse(x, bytes),
              translation.readerOptions,
            ),
          ))
            take(event);
        });
  }

  get hasContent(): boolean {
    return this.#hasReadContent && this.#output.isContentSent;
  }

  get isContentSent(): boolean {
    return this.#output.isContentSent;
  }

  abort(): void {
    this.#isAborted = true;
    this.#upstreamSink.abort();
    this.#output.abort();
  }

  get isComplete(): boolean {
    return this.#ended;
  }

  push(chunk: Buffer): boolean {
    try {
      this.#upstreamSink.push(chunk);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // Earlier content of the same chunk is sent first. Bytes after the end of a response are ignored.
      if (!this.#finished) this.#fault ??= error;
    }
    const flowing = this.#flush();
    if (this.#finished) this.#endFinished();
    return flowing;
  }

  /** Completes the response after its last event, because a provider may keep the connection open. */
  #endFinished(): void {
    if (this.#translation.isStreamToClient) this.#endStream();
    else if (this.#isStreamFromUpstream && !this.#ended) {
      this.#ended = true;
      this.#sendWholeAnswer(this.#fold.answer);
    }
  }

  tryComplete(): boolean {
    if (!this.#isStreamFromUpstream || this.#fault) return false;
    this.#upstreamSink.end();
    if (!this.#finished || this.#fault) return false;
    this.#flush();
    this.#endFinished();
    return true;
  }

  end(): void {
    this.#upstreamSink.end();
    this.#flush();
    if (this.#translation.isStreamToClient) this.#endStream();
    else if (!this.#ended) this.#sendWholeAnswer(this.#fold.answer);
  }

  /**
   * Ends the stream with the last event, because clients disconnect then. Later data from the provider is
   * ignored.
   */
  #endStream(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#recordDropped(this.#writer.dropped);
    const { response } = this.#writer;
    if (!this.#x.request.turn?.isStored || !response) return this.send();
    // A denied response is not stored.
    const { turn } = this.#x.request;
    this.#output.evaluateEnd(this.#finishText, (judged) => {
      this.#finishText = judged;
      turn.end(response, false, this);
    });
  }

  send(): void {
    if (this.#finishText.length > 0) this.#output.write(this.#finishText);
    this.#output.end();
  }

  formatError(fault: Fault): string {
    this.#recordDropped(this.#writer.dropped);
    return this.#output.formatError(fault) ?? this.#writer.write({ type: 'error', fault });
  }

  #onEvent(event: ResponseEvent, replay: StreamReplay | null): void {
    if (event.type === 'error') {
      this.#fault = event.fault;
      this.#recordDropped(new Set([...this.#writer.dropped, ...this.#fold.answer.dropped]));
      return;
    }
    recordEventContentSize(this.#x, event);
    if (event.type === 'usage') this.#x.answer.setUsage(event.usage);
    if (event.type === 'finish') this.#x.answer.setFinishReason(event.raw);
    if (this.#isAborted) return;
    if (event.type === 'open' || event.type === 'finish') this.#hasReadContent = true;
    if (replay) replay.push(event);
    else this.#write(event);
    if (event.type === 'finish') this.#finished = true;
  }

  #write(event: ResponseEvent): void {
    if (!this.#translation.isStreamToClient) this.#fold.add(event);
    else if (event.type === 'start') this.#firstChunk = this.#writer.write(event);
    else if (event.type === 'finish' && this.#x.request.turn?.isStored)
      this.#finishText = this.#writer.write(event);
    else this.#text += this.#writer.write(event);
  }

  /**
   * Writes all events of a chunk at once. If an error follows content in the same chunk, the content is sent
   * first, so that the result does not depend on how bytes are split.
   */
  #flush(): boolean {
    const { isStreamToClient } = this.#translation;
    const tellable = this.#hasReadContent && (this.#isStreamFromUpstream || !this.#fault);
    if (this.#firstChunk !== '') this.#sendFirstChunk(tellable);
    if (tellable && isStreamToClient && !this.isContentSent) this.#output.start();
    const flowing = this.#text === '' || this.#output.write(this.#text);
    this.#text = '';
    if (this.#fault) throw this.#fault;
    return flowing;
  }

  /**
   * Sends the first chunk to an IDE before there is content. For other clients, or if there is content or an
   * error already, adds the chunk to the text.
   */
  #sendFirstChunk(tellable: boolean): void {
    const { keepAlive, isHeadSent } = this.#x.progress;
    const lead = this.#firstChunk;
    this.#firstChunk = '';
    const goesAhead = keepAlive !== null && (isHeadSent || !(tellable || this.#fault));
    if (!goesAhead || !keepAlive.sendFirstChunk(lead)) this.#text = lead + this.#text;
  }

  #sendWholeAnswer(answer: CanonicalResponse): void {
    const { body, dropped } = this.#translation.client.writeCompleteResponse(
      answer,
      this.#translation.context,
    );
    this.#recordDropped(dropped);
    applyResponsePolicies(this.#x, JSON.stringify(body), (text) => this.#sendOrStore(body, text));
  }

  #sendOrStore(body: JsonObject, text: Buffer | string): void {
    const {
      client,
      request: { turn },
    } = this.#x;
    const headers = buildResponseHeaders(this.#x, 'application/json');
    if (turn?.isStored)
      turn.end(this.#storedResponse(body, text), false, createJsonResponseEnd(client, headers, text));
    else client.sendAnswer(200, headers, text);
  }

  /** Returns the body as it was sent. A policy may have redacted it. */
  #storedResponse(body: JsonObject, told: Buffer | string): JsonObject {
    if (this.#x.policy.rewrittenBy === null) return body;
    const parsed = parseUpstreamJson(Buffer.from(told));
    return isJsonObject(parsed) ? parsed : body;
  }

  #recordDropped(dropped: ReadonlySet<string>): void {
    const { answer } = this.#x;
    if (dropped.size > 0) answer.setDropped([...new Set([...answer.dropped, ...dropped])]);
  }
}

/**
 * Returns the replay of the current stream if an earlier attempt has delivered part of it, otherwise a new
 * one.
 */
function findOrCreateReplay(x: Exchange, { client, context }: TranslationSettings): StreamReplay {
  const { replay: underWay } = x.progress;
  if (underWay?.output.isContentSent) return underWay;
  const showsReasoning = client.name !== 'chat' || context.chatReasoning === 'forward';
  const replay = new StreamReplay(client.createResponseWriter(context), new ClientStream(x), showsReasoning);
  x.progress.setReplay(replay);
  return replay;
}
