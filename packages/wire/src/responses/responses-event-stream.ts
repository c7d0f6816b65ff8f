import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asObjects, asString } from '../json-narrowing.ts';

/**
 * Converts a complete response to a stream with one delta per item. `from` omits events with smaller sequence
 * numbers.
 * @example
 * const text = toResponsesEventStream({ id: 'resp_1', status: 'completed', output: [] }, 2);
 * text.split('\n')[0]; // 'event: response.completed'
 */
export function toResponsesEventStream(response: JsonObject, from = 0): string {
  const stream = new ResponseStreamBuilder(from);
  const begun = { ...response, status: 'in_progress', completed_at: null, output: [], usage: null };
  stream.addEvent('response.created', { response: begun });
  stream.addEvent('response.in_progress', { response: begun });
  for (const [index, item] of asObjects(response['output']).entries()) stream.addItem(item, index);
  const status = asString(response['status']) ?? 'completed';
  const ends = ['completed', 'incomplete', 'failed'];
  stream.addEvent(`response.${ends.includes(status) ? status : 'completed'}`, { response });
  return stream.text;
}

class ResponseStreamBuilder {
  text = '';
  readonly #from: number;
  #sequence = 0;

  constructor(from: number) {
    this.#from = from;
  }

  addEvent(type: string, fields: JsonObject): void {
    const sequence_number = this.#sequence++;
    if (sequence_number < this.#from) return;
    this.text += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`;
  }

  addItem(item: JsonObject, output_index: number): void {
    const at = { item_id: item['id'] ?? null, output_index };
    this.addEvent('response.output_item.added', { output_index, item: emptyItem(item) });
    switch (item['type']) {
      case 'message':
        for (const [content_index, part] of asObjects(item['content']).entries())
          this.#addPart(part, { ...at, content_index });
        break;
      case 'reasoning':
        for (const [summary_index, part] of asObjects(item['summary']).entries())
          this.#addSummary(part, { ...at, summary_index });
        break;
      case 'function_call':
        this.addEvent('response.function_call_arguments.delta', { ...at, delta: item['arguments'] });
        this.addEvent('response.function_call_arguments.done', {
          ...at,
          name: item['name'],
          arguments: item['arguments'],
        });
        break;
      case 'custom_tool_call':
        this.addEvent('response.custom_tool_call_input.delta', { ...at, delta: item['input'] });
        this.addEvent('response.custom_tool_call_input.done', { ...at, input: item['input'] });
        break;
    }
    this.addEvent('response.output_item.done', { output_index, item });
  }

  #addPart(part: JsonObject, at: JsonObject): void {
    const isRefusal = part['type'] === 'refusal';
    const family = isRefusal ? 'response.refusal' : 'response.output_text';
    const field = isRefusal ? 'refusal' : 'text';
    const text: Json = part[field] ?? '';
    const logprobs = isRefusal ? {} : { logprobs: asArray(part['logprobs']) };
    this.addEvent('response.content_part.added', { ...at, part: { ...part, [field]: '' } });
    this.addEvent(`${family}.delta`, { ...at, delta: text, ...logprobs });
    this.addEvent(`${family}.done`, { ...at, [field]: text, ...logprobs });
    this.addEvent('response.content_part.done', { ...at, part });
  }

  #addSummary(part: JsonObject, at: JsonObject): void {
    const text: Json = part['text'] ?? '';
    this.addEvent('response.reasoning_summary_part.added', { ...at, part: { ...part, text: '' } });
    this.addEvent('response.reasoning_summary_text.delta', { ...at, delta: text });
    this.addEvent('response.reasoning_summary_text.done', { ...at, text });
    this.addEvent('response.reasoning_summary_part.done', { ...at, part });
  }
}

/** Returns an item without content, for its start event. */
function emptyItem(item: JsonObject): JsonObject {
  switch (item['type']) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'reasoning':
      return { ...item, summary: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return item;
  }
}
