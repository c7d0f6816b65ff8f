import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import { parseExactStreamEvent } from '@floe/wire/stream-event-json';
import { createTooManyValuesFault } from '../upstream-json.ts';

/** Matches events with complete content. Deltas are not parsed. */
const WHOLE_EVENT_PATTERN = /"response\.(?:output_item\.done|completed|incomplete)"/;

/** Collects the response object from the events of a Responses stream. */
export class ResponseCollector {
  /** The complete response; null before the last event. */
  response: JsonObject | null = null;
  readonly #items: JsonObject[] = [];

  /**
   * Adds the data of an event, which must be a JSON object.
   * @throws Fault `upstream_error` if the event has too many values to be parsed again for each later turn
   */
  add(data: string): void {
    if (!WHOLE_EVENT_PATTERN.test(data)) return;
    const event = parseExactStreamEvent(data);
    if (!isJsonObject(event))
      throw createTooManyValuesFault('stream event', MAX_REQUEST_JSON_COMPLEXITY, data.slice(0, 2000));
    if (event['type'] === 'response.output_item.done' && isJsonObject(event['item']))
      this.#items.push(event['item']);
    else if (event['type'] === 'response.completed' || event['type'] === 'response.incomplete')
      this.#complete(event['response']);
  }

  /** Sets the response. If the last event omits the output, adds the collected output. */
  #complete(response: unknown): void {
    if (!isJsonObject(response)) return;
    const output = response['output'];
    this.response =
      Array.isArray(output) && output.length > 0 ? response : { ...response, output: this.#items };
  }
}
