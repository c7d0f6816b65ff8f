import type { Json, JsonObject } from '@floe/contract/json';
import { objectOf, says, textOf } from '../json-read.ts';

/** Members in which a choice says something. */
const SAID = [
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'refusal',
  'tool_calls',
  'function_call',
] as const;

/**
 * The message of a choice of a whole answer. Hosts put an empty `delta` beside it, or the message into `delta`, or the
 * text of a completion beside both: every member is taken from the first that says something in it.
 */
export function messageOf(choice: JsonObject): JsonObject {
  const message = objectOf(choice['message']) ?? {};
  const delta = objectOf(choice['delta']) ?? {};
  const said: Record<string, Json | undefined> = { ...delta };
  for (const [name, value] of Object.entries(message))
    if (says(value) || !says(said[name])) said[name] = value;
  if (!SAID.some((name) => says(said[name]))) said['content'] = textOf(choice['text']);
  return said;
}

/**
 * The pieces of a choice that is streamed. A `message` beside a `delta` is the whole so far: it counts only in members
 * that no delta has said anything in.
 */
export class PieceReader {
  readonly #inDeltas = new Set<string>();
  /** What a message has said where deltas do not. */
  readonly #inMessages = new Map<string, string>();

  read(choice: JsonObject): JsonObject | undefined {
    const delta = objectOf(choice['delta']);
    if (delta === undefined) return objectOf(choice['message']);
    for (const name of SAID) if (says(delta[name])) this.#inDeltas.add(name);
    const message = objectOf(choice['message']);
    return message && says(message) ? this.#both(delta, message) : delta;
  }

  #both(delta: JsonObject, message: JsonObject): JsonObject {
    const piece: Record<string, Json | undefined> = { ...delta };
    for (const [name, value] of Object.entries(message))
      if (says(value) && !this.#inDeltas.has(name)) piece[name] = this.#rest(name, value);
    return piece;
  }

  #rest(name: string, value: Json): Json | undefined {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const before = this.#inMessages.get(name);
    this.#inMessages.set(name, text);
    if (before === undefined) return value;
    if (typeof value !== 'string') return text === before ? undefined : value;
    return text.startsWith(before) ? text.slice(before.length) : text;
  }
}
