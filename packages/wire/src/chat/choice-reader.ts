import type { Json, JsonObject } from '@floe/contract/json';
import { asObject, asString, isJsonArray, isJsonObject, isNonEmpty } from '../json-narrowing.ts';

/** Members of a choice that contain content. */
const CONTENT_MEMBERS = [
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'refusal',
  'tool_calls',
  'function_call',
] as const;

/**
 * Returns the message in a choice of a complete response. Some providers add an empty `delta`, send
 * the message in `delta`, or add the text of a completion. Each member of the message is therefore read from the
 * first of these objects in which it is not empty. Returns undefined if the choice has none of these objects.
 */
export function readChoiceMessage(choice: JsonObject): JsonObject | undefined {
  const message = asObject(choice['message']) ?? {};
  const delta = asObject(choice['delta']) ?? {};
  if (
    !isJsonObject(choice['message']) &&
    !isJsonObject(choice['delta']) &&
    asString(choice['text']) === undefined
  )
    return undefined;
  const said: Record<string, Json | undefined> = { ...delta };
  for (const [name, value] of Object.entries(message))
    if (isNonEmpty(value) || !isNonEmpty(said[name])) said[name] = value;
  if (!CONTENT_MEMBERS.some((name) => isNonEmpty(said[name]))) said['content'] = asString(choice['text']);
  return said;
}

/**
 * Returns whether a chunk contains tool arguments that are an object instead of a string, or a seal that must be
 * returned unchanged. The numbers in both must keep their original text.
 */
export function mustKeepExactNumbers({ choices }: JsonObject): boolean {
  if (!isJsonArray(choices)) return false;
  for (const choice of choices)
    if (isJsonObject(choice) && (hasExactValues(choice['delta']) || hasExactValues(choice['message'])))
      return true;
  return false;
}

function hasExactValues(said: Json | undefined): boolean {
  if (!isJsonObject(said)) return false;
  const { tool_calls: calls, function_call: legacy, reasoning_details: details } = said;
  if (details !== undefined || (isJsonObject(legacy) && isJsonObject(legacy['arguments']))) return true;
  return isJsonArray(calls) && calls.some(hasObjectArguments);
}

function hasObjectArguments(call: Json): boolean {
  if (!isJsonObject(call)) return false;
  const inner = call['custom'] ?? call['function'];
  return isJsonObject(inner) && isJsonObject(inner['arguments'] ?? inner['input'] ?? inner['parameters']);
}

/**
 * Reads the deltas of a streamed choice. Some providers send a `message` in addition to a `delta`. That
 * message repeats the whole content so far. The reader therefore uses a member of a message only if no
 * delta contained that member.
 */
export class ChoiceDeltaReader {
  readonly #inDeltas = new Set<string>();
  /** Content from messages, for members that deltas do not contain. */
  readonly #inMessages = new Map<string, string>();

  read(choice: JsonObject): JsonObject | undefined {
    const delta = asObject(choice['delta']);
    if (delta === undefined) return asObject(choice['message']);
    for (const name in delta)
      if (!this.#inDeltas.has(name) && isNonEmpty(delta[name])) this.#inDeltas.add(name);
    const message = choice['message'];
    return isJsonObject(message) && isNonEmpty(message) ? this.#mergeMessage(delta, message) : delta;
  }

  #mergeMessage(delta: JsonObject, message: JsonObject): JsonObject {
    const piece: Record<string, Json | undefined> = { ...delta };
    for (const [name, value] of Object.entries(message))
      if (isNonEmpty(value) && !this.#inDeltas.has(name))
        piece[name] = this.#unreportedRemainder(name, value);
    return piece;
  }

  #unreportedRemainder(name: string, value: Json): Json | undefined {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const before = this.#inMessages.get(name);
    this.#inMessages.set(name, text);
    if (before === undefined) return value;
    if (typeof value !== 'string') return text === before ? undefined : value;
    return text.startsWith(before) ? text.slice(before.length) : text;
  }
}
