import { formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { ResponseStreamReader } from '@floe/wire/dialect';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { tryParseJson } from '@floe/wire/json-narrowing';
import type { ResponseEvent } from '@floe/wire/response-events';
import { formatSseFrame, parseSseFrame, type SseEvent, SseFramer } from '@floe/wire/sse';
import type { ResponseSink } from './attempt-plan.ts';
import { isBackgroundRequest } from './background/background-request.ts';
import { parseChargedResponse, recordEventContentSize, recordResponseContentSize } from './charged-usage.ts';
import { findContainerIds } from './container-ids.ts';
import type { Exchange } from './exchange-record.ts';
import { applyResponsePolicies } from './policy/apply-response-policies.ts';
import { buildResponseHeaders } from './response-headers.ts';
import { ClientStream, createBufferedResponseSink } from './response-sinks.ts';
import { formatResponsesFailure } from './responses-failure.ts';
import { ResponseCollector } from './stored/response-collector.ts';
import {
  createJsonResponseEnd,
  logUnstoredResponse,
  type PendingResponseEnd,
} from './stored/responses-turn.ts';
import { setPreviousResponseId, setPreviousResponseIdInEvents } from './stored/set-previous-response-id.ts';
import { parseUpstreamJson } from './upstream-json.ts';

/** The event that ends a Messages stream (Anthropic, "Streaming messages"). */
const MESSAGE_STOP = formatSseFrame('message_stop', '{"type":"message_stop"}');

/** Identifies a complete output item. It counts as content even if it shows nothing, such as hidden reasoning. */
const ITEM_DONE = '"response.output_item.done"';

/** The end of a stream that was cut off. Its error event follows. */
const SENT_END: PendingResponseEnd = { send: () => undefined };

type EventDialect = 'responses' | 'messages';

/**
 * Forwards a Responses or Messages stream to a client that uses the same dialect. Complete frames
 * are forwarded unchanged. The dialect's reader also processes them, to count usage and detect
 * incomplete responses. Everything but the announcement of the response, of a message or of reasoning counts as
 * content: the client can use it, although a translation would drop it.
 */
export class ForwardedEventStreamSink implements ResponseSink, PendingResponseEnd {
  #x: Exchange;
  #dialect: EventDialect;
  #framer = new SseFramer();
  #reader: ResponseStreamReader;
  #out: ClientStream;
  #fault: Fault | null = null;
  #hasContent = false;
  /** Whether the provider has created a background response. */
  #isCreated = false;
  #isComplete = false;
  /**
   * The response object of the start event, and the data of the last frame. An error event must continue
   * them.
   */
  #response: JsonObject | null = null;
  #lastData = '';
  /** Collects the response if it is to be stored. */
  #collector: ResponseCollector | null;
  /** The last event, held back until the response has been stored. */
  #lastEvent: Buffer | string | null = null;

  /** The client's `previous_response_id`, if the provider does not know it. */
  readonly #previousId: string | null;

  constructor(x: Exchange, dialect: EventDialect, previous: string | null) {
    this.#x = x;
    this.#previousId = previous;
    this.#dialect = dialect;
    this.#out = new ClientStream(x);
    this.#collector = dialect === 'responses' && x.request.turn?.isStored ? new ResponseCollector() : null;
    this.#reader = UPSTREAM_DIALECTS[dialect].createResponseReader((event) => this.#onEvent(event), {
      id: x.id,
    });
  }

  get hasContent(): boolean {
    return this.#out.hasContent;
  }

  get isContentSent(): boolean {
    return this.#out.isContentSent;
  }

  push(chunk: Buffer): boolean {
    const frames = this.#framer.push(chunk);
    const { bytes, lead, ends } =
      this.#previousId === null ? frames : setPreviousResponseIdInEvents(frames, this.#previousId);
    let good = lead;
    for (const end of ends) {
      this.#readFrame(bytes.subarray(good, end));
      if (this.#fault) break;
      if (this.#isComplete && this.#collector) this.#lastEvent = Buffer.from(bytes.subarray(good, end));
      else good = end;
      // Events after the last one are ignored, regardless of how the chunks are split.
      if (this.#isComplete) break;
    }
    this.#startIfDue();
    const flowing = good === 0 || this.#out.write(good === bytes.length ? bytes : bytes.subarray(0, good));
    if (this.#fault) throw this.#fault;
    if (this.#isComplete) this.#finish();
    else this.#out.reserveIncompleteEvent(this.#framer.restBytes);
    return flowing;
  }

  /**
   * Starts the client's stream with the first content. Starts it earlier if a background response exists and has not
   * failed, so that no other target generates the response again.
   */
  #startIfDue(): void {
    const isDue = this.#hasContent
      ? !this.hasContent
      : this.#isCreated && !this.isContentSent && this.#fault === null;
    if (isDue) this.#out.start(!this.#hasContent);
  }

  #finish(): void {
    const response = this.#collector?.response;
    if (!response) {
      if (this.#collector) logUnstoredResponse(this.#x);
      return this.send();
    }
    // A denied response is not stored.
    this.#out.evaluateEnd(this.#lastEvent ?? '', (judged) => {
      this.#lastEvent = judged;
      this.#x.request.turn?.end(response, true, this);
    });
  }

  send(): void {
    if (this.#lastEvent !== null && this.#lastEvent.length > 0) this.#out.write(this.#lastEvent);
    this.#out.end();
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Completes a Messages response that lacks only its last event.
   * @throws Fault `upstream_stream_broken` for any other response, because its last event is missing and the
   * client would wait for it
   */
  end(): void {
    if (this.tryComplete()) return;
    const where = this.#framer.rest().length > 0 ? 'in the middle of an event' : 'before the last event';
    throw (
      this.#fault ??
      new Fault('upstream_stream_broken', `The provider closed the stream ${where}. Send the request again.`)
    );
  }

  /** Adds the last event to a Messages response that has a stop reason and lacks nothing else. */
  tryComplete(): boolean {
    this.#reader.end();
    if (!this.#isComplete || this.#fault || this.#dialect !== 'messages') return false;
    this.#out.write(MESSAGE_STOP);
    this.#finish();
    return true;
  }

  /**
   * Ends the reader. The reader then reports the usage so far. A background response that the client knows is stored,
   * so that the client can retrieve or cancel it.
   */
  abort(): void {
    this.#reader.end();
    this.#out.abort();
    const { prompt, turn } = this.#x.request;
    const isKnown = this.isContentSent && !this.#isComplete && isBackgroundRequest(prompt);
    if (isKnown && this.#response && turn?.isStored) turn.end(this.#response, true, SENT_END);
  }

  formatError(fault: Fault): string {
    const stopped = this.#out.formatError(fault);
    if (stopped !== null) return stopped;
    if (this.#dialect === 'messages')
      return formatSseFrame('error', formatFaultBody(fault, this.#x.id, 'anthropic'));
    return formatResponsesFailure(fault, this.#response, this.#lastData, this.#x.id);
  }

  #readFrame(frame: Buffer): void {
    let event: SseEvent | undefined;
    try {
      event = parseSseFrame(frame);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#fault = error;
    }
    if (event === undefined) return;
    this.#reader.read(event);
    // If a frame is not forwarded, only its token counts become part of a later error event.
    if (this.#fault) {
      const usage = parseResponse(event.data)?.['usage'];
      if (isJsonObject(usage)) this.#response = { ...this.#response, usage };
      return;
    }
    this.#hasContent ||= event.data.includes(ITEM_DONE);
    this.#lastData = event.data;
    this.#collector?.add(event.data);
    if (event.data.includes('"container'))
      this.#x.answer.addContainers(findContainerIds(tryParseJson(event.data)));
    if (event.event !== 'response.created') return;
    this.#response = parseResponse(event.data);
    this.#x.answer.setResponseId(responseIdOf(this.#response));
    this.#isCreated = isBackgroundRequest(this.#x.request.prompt);
  }

  #onEvent(event: ResponseEvent): void {
    recordEventContentSize(this.#x, event);
    if (event.type === 'open' || (event.type === 'dropped' && event.isContent)) this.#hasContent = true;
    else if (event.type === 'usage') this.#x.answer.setUsage(event.usage);
    else if (event.type === 'finish') {
      this.#x.answer.setFinishReason(event.raw);
      this.#hasContent = true;
      this.#isComplete = true;
    } else if (event.type === 'error') this.#fault = event.fault;
  }
}

/**
 * Creates a sink for a Responses or Messages response in JSON. The sink forwards the response
 * unchanged if it is complete and valid.
 */
export function createForwardedJsonSink(
  x: Exchange,
  dialect: EventDialect,
  previous: string | null,
): ResponseSink {
  return createBufferedResponseSink(x, (sent) => {
    const bytes = previous === null ? sent : setPreviousResponseId(sent, previous);
    const parsed = parseChargedResponse(x, bytes);
    const answer = UPSTREAM_DIALECTS[dialect].readCompleteResponse(parsed, { id: x.id });
    if (dialect === 'responses' && isJsonObject(parsed)) x.answer.setResponseId(responseIdOf(parsed));
    x.answer.addContainers(findContainerIds(parsed));
    x.answer.setUsage(answer.usage ?? null);
    x.answer.setFinishReason(answer.finish?.raw ?? null);
    if (answer.fault) throw answer.fault;
    if (!answer.finish)
      throw new Fault('upstream_error', 'The provider sent an incomplete response. Send the request again.');
    recordResponseContentSize(x, bytes);
    applyResponsePolicies(x, bytes, (told) => sendOrStoreResponse(x, dialect, told));
  });
}

function sendOrStoreResponse(x: Exchange, dialect: EventDialect, told: Buffer | string): void {
  const headers = buildResponseHeaders(x, 'application/json');
  const body =
    dialect === 'responses' && x.request.turn?.isStored ? parseUpstreamJson(Buffer.from(told)) : null;
  if (isJsonObject(body)) x.request.turn?.end(body, true, createJsonResponseEnd(x.client, headers, told));
  else x.client.sendAnswer(200, headers, told);
}

function responseIdOf(response: JsonObject | null): string | null {
  const id = response?.['id'];
  return typeof id === 'string' ? id : null;
}

function parseResponse(data: string): JsonObject | null {
  const parsed = tryParseJson(data);
  return isJsonObject(parsed) && isJsonObject(parsed.response) ? parsed.response : null;
}
