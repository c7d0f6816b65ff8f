import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { MAX_BUFFERED_RESPONSE_BYTES } from '../buffered-response-limiter.ts';
import { parseUpstreamJson } from '../upstream-json.ts';

/** Matches events with complete content. Other events are not collected. */
const WHOLE_EVENT_PATTERN = /"type"\s*:\s*"response\.(output_item\.done|completed|incomplete)"/;

/** Collects the response object from the events of a Responses stream. */
export class ResponseCollector {
  /** The complete response; null before the last event, or if the response is too large to be stored. */
  response: JsonObject | null = null;
  /** The events with output items. They are parsed only if the last event has no output. */
  readonly #itemEvents: string[] = [];
  #itemsLength = 0;

  /** Adds the data of an event. */
  add(data: string): void {
    const [, type] = WHOLE_EVENT_PATTERN.exec(data) ?? [];
    if (type === undefined) return;
    if (type !== 'output_item.done') return this.#complete(data);
    this.#itemsLength += data.length;
    if (this.#itemsLength <= MAX_BUFFERED_RESPONSE_BYTES) this.#itemEvents.push(data);
  }

  /** Sets the response. If the last event omits the output, adds the collected output. */
  #complete(data: string): void {
    const event = tryParse(data);
    const response = isJsonObject(event) ? event['response'] : null;
    if (!isJsonObject(response)) return;
    const given = response['output'];
    const output = Array.isArray(given) && given.length > 0 ? given : this.#collectedOutput();
    if (output !== null) this.response = { ...response, output };
  }

  #collectedOutput(): JsonObject[] | null {
    if (this.#itemsLength > MAX_BUFFERED_RESPONSE_BYTES) return null;
    const events = tryParse(`[${this.#itemEvents.join(',')}]`);
    if (!Array.isArray(events)) return null;
    return events.map((event) => (isJsonObject(event) ? event['item'] : null)).filter(isJsonObject);
  }
}

/** Returns null if the text is not JSON, or has too many values to be parsed again for each later turn. */
function tryParse(text: string): Json {
  try {
    return parseUpstreamJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return null;
  }
}
