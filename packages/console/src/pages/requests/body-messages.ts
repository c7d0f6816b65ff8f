import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { requestDetailText } from './request-detail-text.ts';

/** Parses the messages of a stored body of Chat Completions, Responses or Messages. Pure. */

/** A message in a stored body. */
export interface BodyMessage {
  readonly role: string;
  readonly parts: readonly BodyMessagePart[];
}

/**
 * A content part of a message: text, a tool call, a tool result, or a description of another kind of content.
 */
export type BodyMessagePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args: string }
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly text: string;
      readonly others: readonly OtherBodyPart[];
    }
  | OtherBodyPart;

/** A content part that is not text, a tool call or a tool result, such as an image. */
export interface OtherBodyPart {
  readonly kind: 'other';
  readonly description: string;
  readonly part: JsonObject;
}

/** Returns the messages of a body, or null if its format is not supported. */
export function parseBodyMessages(text: string): readonly BodyMessage[] | null {
  const body = parseBodyJson(text);
  if (!isJsonObject(body)) return null;
  const said = [...instructions(body), ...messages(body), ...answerMessages(body)].filter(
    ({ parts }) => parts.length > 0,
  );
  return said.length === 0 ? null : said;
}

/** Parses the JSON of a body. Returns null if the body is truncated or not JSON. */
export function parseBodyJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function instructions({ system, instructions: told }: JsonObject): BodyMessage[] {
  return [system, told].flatMap((content) => {
    const parts = partsOf(content);
    return parts.length === 0 ? [] : [{ role: 'system', parts }];
  });
}

function messages({ messages: list, input }: JsonObject): BodyMessage[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ kind: 'text', text: input }] }];
  const all = Array.isArray(list) ? list : Array.isArray(input) ? input : [];
  return all.filter(isJsonObject).map(toBodyMessage);
}

/**
 * Returns the messages of a response: `choices` of Chat Completions, `output` of Responses, or `content` of
 * Messages.
 */
function answerMessages({ choices, output, content, role }: JsonObject): BodyMessage[] {
  if (Array.isArray(choices))
    return choices
      .filter(isJsonObject)
      .map(({ message }) => message ?? null)
      .filter(isJsonObject)
      .map(toBodyMessage);
  if (Array.isArray(output)) return output.filter(isJsonObject).map(toBodyMessage);
  return role === 'assistant' ? [{ role: 'assistant', parts: partsOf(content) }] : [];
}

function toBodyMessage(message: JsonObject): BodyMessage {
  const { role, content, tool_calls: calls, tool_call_id: id } = message;
  if (role === undefined && typeof message['type'] === 'string' && message['type'] !== 'message')
    return { role: 'assistant', parts: [partOf(message)] };
  if (role === 'tool') return { role, parts: [resultOf(id, content)] };
  const { refusal, function_call: legacyCall } = message;
  const called = Array.isArray(calls) ? calls.filter(isJsonObject).map(chatCall) : [];
  return {
    role: typeof role === 'string' ? role : 'assistant',
    parts: [
      ...partsOf(content),
      ...partsOf(refusal),
      ...called,
      ...(isJsonObject(legacyCall) ? [chatCall({ function: legacyCall })] : []),
    ],
  };
}

function chatCall({ id, function: told }: JsonObject): BodyMessagePart {
  const { name, arguments: args } = isJsonObject(told) ? told : {};
  return { kind: 'call', id: String(id ?? ''), name: String(name ?? ''), args: String(args ?? '') };
}

function partsOf(content: Json | undefined): BodyMessagePart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject).map(partOf) : [];
}

function partOf(part: JsonObject): BodyMessagePart {
  const { type, text, name } = part;
  if (typeof text === 'string') return { kind: 'text', text };
  if (type === 'tool_use' || type === 'function_call') {
    const args = type === 'tool_use' ? JSON.stringify(part['input'] ?? {}) : String(part['arguments'] ?? '');
    return { kind: 'call', id: String(part['call_id'] ?? part['id'] ?? ''), name: String(name ?? ''), args };
  }
  if (type === 'tool_result' || type === 'function_call_output') {
    return resultOf(part['tool_use_id'] ?? part['call_id'], part['content'] ?? part['output']);
  }
  if (typeof part['refusal'] === 'string') return { kind: 'text', text: part['refusal'] };
  return { kind: 'other', description: describe(part), part };
}

/**
 * Describes an image, as in `image, 312 KB`. Images are not displayed, because stored bodies are not trusted.
 */
function describe(part: JsonObject): string {
  const type =
    typeof part['type'] === 'string'
      ? part['type'].replaceAll('_', ' ')
      : requestDetailText.bodies.unknownPart;
  const size = JSON.stringify(part).length;
  return requestDetailText.bodies.part(
    type,
    size < 1024 ? `${size} B` : `${Math.round((size * 3) / 4 / 1024)} KB`,
  );
}

function resultOf(id: Json | undefined, content: Json | undefined): BodyMessagePart {
  const parts = partsOf(isJsonObject(content) ? [content] : content);
  return {
    kind: 'result',
    id: String(id ?? ''),
    text: joinTexts(parts),
    others: parts.flatMap((part) => (part.kind === 'other' ? [part] : [])),
  };
}

/** Returns the text of all text parts. */
export function joinTexts(parts: readonly BodyMessagePart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
