import { type Buffer, isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { mergeFinishReason, type ResponseFinish, readRawFinishReason } from '../finish-reason.ts';
import { applyByteEdits } from '../json-edits.ts';
import { JsonSyntaxError } from '../json-syntax-error.ts';
import { createErrorEventFault } from '../upstream-fault.ts';
import { readChatUsage, type Usage } from '../usage.ts';
import { ChatResponseScanner, type ChatScanOptions } from './chat-scanner.ts';
import { REASONING_MEMBERS } from './member-names.ts';

/**
 * The maximum size in bytes of a response that is read with `JSON.parse`. Up to this size,
 * `JSON.parse` takes half as long as a scan. For longer responses, it creates too many objects.
 */
export const MAX_FAST_PARSE_BYTES = 8 * 1024;

/**
 * A complete response to forward, and the values that were read from it. If it must not be forwarded, `fault` is
 * set.
 */
export interface ForwardedChatResponse {
  readonly body: Buffer;
  readonly usage?: Usage;
  readonly finish?: ResponseFinish;
  readonly model?: string;
  readonly id?: string;
  readonly fault?: Fault;
}

/**
 * Validates a complete Chat response (status 200) and removes its reasoning. Every other byte is unchanged.
 * `fault` is `upstream_error` if the response is not JSON, contains no choices, or contains a choice without a
 * message or a finish reason.
 * @example
 * const body = '{"choices":[{"message":{"content":"Hi","reasoning":"hm"},"finish_reason":"stop"}]}';
 * const { body: sent } = prepareForwardedChatResponse(Buffer.from(body), { stripReasoning: true, thinkTags: false });
 * sent.toString(); // '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'
 */
export function prepareForwardedChatResponse(body: Buffer, options: ChatScanOptions): ForwardedChatResponse {
  const plain = body.length > MAX_FAST_PARSE_BYTES ? null : parseSimpleChatResponse(body, options);
  return plain ?? scanChatResponse(body, options);
}

/**
 * Parses short responses of the most common form, which can be forwarded unchanged. Every choice must be a finished
 * message. No member except the top-level `usage` may contain usage, and none may contain an error. If a member is
 * duplicated, the last one counts, as it does for clients. Returns null for all other responses, whether or not they
 * are valid.
 * @example
 * const options = { stripReasoning: true, thinkTags: false };
 * const body = Buffer.from('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}');
 * parseSimpleChatResponse(body, options)?.finish; // { reason: 'stop', raw: 'stop' }
 * parseSimpleChatResponse(Buffer.from('{"error":{"message":"busy"}}'), options); // null
 */
export function parseSimpleChatResponse(
  body: Buffer,
  options: ChatScanOptions,
): ForwardedChatResponse | null {
  if (!isUtf8(body)) return null;
  const root = tryParse(body.toString());
  if (!isJsonObject(root) || !hasOnlyStandardMembers(root) || !Array.isArray(root['choices'])) return null;
  let finish: ResponseFinish | undefined;
  for (const choice of root['choices']) {
    if (!isJsonObject(choice) || choice['usage'] !== undefined) return null;
    const { message } = choice;
    const raw = readRawFinishReason(choice['finish_reason']);
    if (!isJsonObject(message) || (options.stripReasoning && !hasNoReasoning(choice, message, options)))
      return null;
    if (raw === undefined) return null;
    finish = mergeFinishReason(finish, raw);
  }
  if (finish === undefined) return null;
  const { id, model } = root;
  const usage = readChatUsage(root['usage'], root['service_tier']);
  return {
    body,
    ...(usage !== undefined && { usage }),
    finish,
    ...(typeof model === 'string' && model !== '' && { model }),
    ...(typeof id === 'string' && id !== '' && { id }),
  };
}

/** Returns whether the top level has neither an error nor members that only some providers use. */
function hasOnlyStandardMembers(root: JsonObject): boolean {
  if ((root['error'] ?? null) !== null || root['object'] === 'error' || root['base_resp'] !== undefined)
    return false;
  for (const name in root) if (name.startsWith('x_')) return false;
  return true;
}

/**
 * Returns whether there is nothing to remove. Lists of parts and text that starts with a tag may contain
 * reasoning.
 */
function hasNoReasoning(choice: JsonObject, message: JsonObject, { thinkTags }: ChatScanOptions): boolean {
  if (choice['delta'] !== undefined) return false;
  for (const name of REASONING_MEMBERS) if (message[name] !== undefined) return false;
  const { content } = message;
  return typeof content === 'string' ? !(thinkTags && /^\s*</.test(content)) : !Array.isArray(content);
}

/** Returns undefined if the text is not JSON. */
function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads any response byte by byte.
 * @example
 * const options = { stripReasoning: true, thinkTags: false };
 * scanChatResponse(Buffer.from('{"choices":[]'), options).fault?.code; // 'upstream_error'
 */
export function scanChatResponse(body: Buffer, options: ChatScanOptions): ForwardedChatResponse {
  const walk = new ChatResponseScanner(options);
  const fault = validateAnswer(walk, body);
  const { usage, finish, model, id } = walk;
  return {
    body: fault === undefined && walk.edits.length > 0 ? applyByteEdits(body, walk.edits) : body,
    ...(usage !== undefined && { usage }),
    ...(finish !== undefined && { finish }),
    ...(model !== undefined && { model }),
    ...(id !== undefined && { id }),
    ...(fault !== undefined && { fault }),
  };
}

function validateAnswer(walk: ChatResponseScanner, body: Buffer): Fault | undefined {
  const refuse = (message: string) =>
    new Fault('upstream_error', message, { upstreamBody: bodyExcerpt(body) });
  if (!isUtf8(body))
    return refuse('The provider sent a response that is not valid UTF-8. Send the request again.');
  try {
    if (!walk.read(body, 0, body.length) || walk.hasError) return createErrorEventFault(body.toString());
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return refuse('The provider sent a response that is not valid JSON. Send the request again.');
  }
  if (!walk.hasChoices)
    return refuse('The provider sent a response without choices. Send the request again.');
  if (walk.hasEmptyChoice)
    return refuse('The provider sent a choice that has no message. Send the request again.');
  return walk.isFinished
    ? undefined
    : refuse('The provider sent a response without a finish reason. Send the request again.');
}

function bodyExcerpt(body: Buffer): string {
  return body.toString('utf8', 0, 2048);
}
