import { isObject, type JsonObject } from '@floe/contract/json';
import { parseExactJson } from '@floe/wire/json-read';

/** Names of the events that say something whole; deltas are not parsed for this. */
const WHOLE = /"response\.(?:output_item\.done|completed|incomplete)"/;

/** Gathers a response object from the events of its stream. */
export class ToldResponse {
  /** There once its last event was heard. */
  response: JsonObject | null = null;
  readonly #items: JsonObject[] = [];

  /** `data` of one event. */
  hear(data: string): void {
    if (!WHOLE.test(data)) return;
    const event = parseExactJson(data);
    if (!isObject(event)) return;
    if (event['type'] === 'response.output_item.done' && isObject(event['item']))
      this.#items.push(event['item']);
    else if (event['type'] === 'response.completed' || event['type'] === 'response.incomplete')
      this.#end(event['response']);
  }

  /** Some hosts leave the output out of the last event. */
  #end(response: unknown): void {
    if (!isObject(response)) return;
    const output = response['output'];
    this.response =
      Array.isArray(output) && output.length > 0 ? response : { ...response, output: this.#items };
  }
}
