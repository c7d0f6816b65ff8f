import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { AnswerAccumulator, type CanonicalAnswer, toAnswerEvents } from '@floe/wire/answer';
import type {
  AnswerContext,
  AnswerReadOptions,
  AnswerStreamReader,
  AnswerStreamWriter,
  ClientDialect,
  UpstreamDialect,
} from '@floe/wire/dialect';
import type { AnswerEvent } from '@floe/wire/events';
import { parseSseFrame, SseFramer } from '@floe/wire/sse';
import { buildAnswerHeaders } from './answer-headers.ts';
import { ClientStream, createBufferedAnswer } from './answer-sinks.ts';
import { recordEventContent } from './charged-usage.ts';
import type { ClientOutput } from './client-output.ts';
import type { Exchange } from './exchange-record.ts';
import type { AnswerSink } from './plan.ts';
import { applyAnswerPolicies } from './policy/apply-answer-policies.ts';
import { createJsonAnswerEnd, type PendingAnswerEnd } from './stored/responses-turn.ts';
import { StreamReplay } from './stream-replay.ts';
import { parseUpstreamJson } from './upstream-json.ts';

/** The dialect, context and settings of a translated response. */
export interface Translation {
  readonly client: ClientDialect;
  readonly upstream: UpstreamDialect;
  readonly context: AnswerContext;
  readonly readerOptions: AnswerReadOptions;
  readonly isStreamToClient: boolean;
  /** Whether a later attempt may continue the stream. */
  readonly isReplayable: boolean;
}

/**
 * A response of another dialect. Reads it as events, and writes them as a stream or as a complete response.
 */
export class TranslatedAnswer implements AnswerSink, PendingAnswerEnd {
  #x: Exchange;
  #translation: Translation;
  #isStreamFromUpstream: boolean;
  #upstreamSink: AnswerSink;
  #output: ClientOutput;
  #writer: AnswerStreamWriter;
  #fold = new AnswerAccumulator();
  #fault: Fault | null = null;
  #text = '';
  /** The first chunk, before it is known whether content follows. */
  #firstChunk = '';
  #hasReadContent = false;
  #finished = false;
  #ended = false;
  /** The text with the finish, held back until the turn is stored. */
  #finishText: Buffer | string = '';

  constructor(x: Exchange, translation: Translation, arrivesStreamed: boolean) {
    this.#x = x;
    this.#translation = translation;
    this.#isStreamFromUpstream = arrivesStreamed;
    const replay = translation.isReplayable ? findOrCreateReplay(x, translation) : null;
    this.#output = replay?.output ?? new ClientStream(x);
    this.#writer = replay?.writer ?? translation.client.createAnswerWriter(translation.context);
    const write = (event: AnswerEvent) => this.#write(event);
    replay?.begin(translation.context.sealOrigin ?? '', write);
    const take = (event: AnswerEvent) => this.#onEvent(event, replay);
    this.#upstreamSink = arrivesStreamed
      ? new UpstreamEventStream(translation.upstream.createAnswerReader(take, translation.readerOptions))
      : createBufferedAnswer((bytes) => {
          for (const event of toAnswerEvents(
            translation.upstream.readWholeAnswer(parseUpstreamJson(bytes), translation.readerOptions),
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
    this.#upstreamSink.abort();
  }

  get isComplete(): boolean {
    return this.#ended;
  }

  push(chunk: Buffer): boolean {
    try {
      this.#upstreamSink.push(chunk);
    } catch (error) {
      // Earlier content of the same chunk is sent first.
      if (!(error instanceof Fault)) throw error;
      this.#fault ??= error;
    }
    const flowing = this.#flush();
    if (this.#finished) this.#endFinished();
    return flowing;
  }

  /** A provider may keep its connection open after the last event. */
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
   * Ends the stream with the last event, because clients disconnect then. Later data of the provider is
   * ignored.
   */
  #endStream(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#recordDropped(this.#writer.dropped);
    const { response } = this.#writer;
    if (!this.#x.request.turn?.isStored || !response) return this.send();
    // A denied response is not stored.
    this.#finishText = this.#output.evaluateEnd(this.#finishText);
    this.#x.request.turn.end(response, false, this);
  }

  send(): void {
    if (this.#finishText.length > 0) this.#output.write(this.#finishText);
    this.#output.end();
  }

  formatError(fault: Fault): string {
    this.#recordDropped(this.#writer.dropped);
    return this.#output.formatError(fault) ?? this.#writer.write({ type: 'error', fault });
  }

  #onEvent(event: AnswerEvent, replay: StreamReplay | null): void {
    if (event.type === 'error') {
      this.#fault = event.fault;
      return;
    }
    recordEventContent(this.#x, event);
    if (event.type === 'usage') this.#x.answer.setUsage(event.usage);
    if (event.type === 'finish') {
      this.#x.answer.setFinishReason(event.raw);
      this.#finished = true;
    }
    if (event.type === 'open' || event.type === 'finish') this.#hasReadContent = true;
    if (replay) replay.push(event);
    else this.#write(event);
  }

  #write(event: AnswerEvent): void {
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

  /** Sends the first chunk to an IDE before the content, unless there is content or an error already. */
  #sendFirstChunk(tellable: boolean): void {
    const { keepAlive, isHeadSent } = this.#x.progress;
    const lead = this.#firstChunk;
    this.#firstChunk = '';
    const goesAhead = keepAlive !== null && (isHeadSent || !(tellable || this.#fault));
    if (!goesAhead || !keepAlive.sendFirstChunk(lead)) this.#text = lead + this.#text;
  }

  #sendWholeAnswer(answer: CanonicalAnswer): void {
    const { body, dropped } = this.#translation.client.writeWholeAnswer(answer, this.#translation.context);
    this.#recordDropped(dropped);
    const {
      client,
      request: { turn },
    } = this.#x;
    const text = applyAnswerPolicies(this.#x, JSON.stringify(body));
    const headers = buildAnswerHeaders(this.#x, 'application/json');
    if (turn?.isStored)
      turn.end(this.#storedResponse(body, text), false, createJsonAnswerEnd(client, headers, text));
    else client.sendAnswer(200, headers, text);
  }

  /** Returns the body as it was sent, which a policy may have redacted. */
  #storedResponse(body: JsonObject, told: Buffer | string): JsonObject {
    if (this.#x.policy.rewrittenBy === null) return body;
    const parsed = parseUpstreamJson(Buffer.from(told));
    return isObject(parsed) ? parsed : body;
  }

  #recordDropped(dropped: ReadonlySet<string>): void {
    const { answer } = this.#x;
    if (dropped.size > 0) answer.setDropped([...new Set([...answer.dropped, ...dropped])]);
  }
}

/** Returns the current stream if an earlier attempt has delivered part of it, otherwise a new one. */
function findOrCreateReplay(x: Exchange, { client, context }: Translation): StreamReplay {
  const { replay: underWay } = x.progress;
  if (underWay?.output.isContentSent) return underWay;
  const showsReasoning = client.name !== 'chat' || context.chatReasoning === 'forward';
  const replay = new StreamReplay(client.createAnswerWriter(context), new ClientStream(x), showsReasoning);
  x.progress.setReplay(replay);
  return replay;
}

/** Splits a stream into frames for the reader of the dialect. */
class UpstreamEventStream implements AnswerSink {
  readonly hasContent = false;
  readonly isContentSent = false;
  readonly isComplete = false;
  #framer = new SseFramer();
  #reader: AnswerStreamReader;

  constructor(reader: AnswerStreamReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): boolean {
    const { bytes, lead, ends } = this.#framer.push(chunk);
    let from = lead;
    for (const end of ends) {
      const event = parseSseFrame(bytes.subarray(from, end));
      if (event) this.#reader.read(event);
      from = end;
    }
    return true;
  }

  end(): void {
    this.#reader.end();
  }

  abort(): void {
    this.#reader.end();
  }

  formatError(fault: Fault): string {
    throw new Error(`the reading side of a translation cannot send ${fault.code}`);
  }
}
