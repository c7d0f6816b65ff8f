import { type Buffer, isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { type Finish, parseFinishReason } from '../finish.ts';
import { applyByteEdits } from '../json-edits.ts';
import { JsonSyntaxError } from '../json-syntax-error.ts';
import { upstreamErrorFault } from '../upstream-error.ts';
import { readChatUsage, type Usage } from '../usage.ts';
import { ChatScanner, type ReasoningStripOptions } from './chat-scanner.ts';
import { REASONING_MEMBERS } from './member-names.ts';

/** Up to this size V8's own parser takes half of what a walk takes; in long answers it builds too much. */
export const MAX_FAST_PARSE_BYTES = 8 * 1024;

/** A whole answer to forward, what it told, and the fault that forbids forwarding it. */
export interface ForwardedChatAnswer {
  readonly body: Buffer;
  readonly usage?: Usage;
  readonly finish?: Finish;
  readonly model?: string;
  readonly id?: string;
  readonly fault?: Fault;
}

/**
 * Checks a whole Chat answer (status 200) and cuts its reasoning; every other byte is kept. `fault` is
 * `upstream_error` when it is not JSON, carries an error, or lacks choices or a finish reason.
 *
 * @example
 * const body = '{"choices":[{"message":{"content":"Hi","reasoning":"hm"},"finish_reason":"stop"}]}';
 * const { body: sent } = forwardChatAnswer(Buffer.from(body), { stripReasoning: true, thinkTags: false });
 * sent.toString(); // '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'
 */
export function forwardChatAnswer(body: Buffer, options: ReasoningStripOptions): ForwardedChatAnswer {
  const plain = body.length > MAX_FAST_PARSE_BYTES ? null : parseSimpleAnswer(body, options);
  return plain ?? scanAnswer(body, options);
}

/**
 * Reads the one shape nearly every short answer has, of which nothing is cut: all choices are messages that have
 * finished, and nothing beside them may be an error or usage in an unusual place. Null for every other text, which
 * may be good or bad. What is taken here, `scanAnswer` reads in the same way (forward-answer.test.ts); of a member that
 * stands twice the last one counts, as it does for the client.
 *
 * @example
 * const options = { stripReasoning: true, thinkTags: false };
 * const body = Buffer.from('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}');
 * parseSimpleAnswer(body, options)?.finish; // { reason: 'stop', raw: 'stop' }
 * parseSimpleAnswer(Buffer.from('{"error":{"message":"busy"}}'), options); // null
 */
export function parseSimpleAnswer(body: Buffer, options: ReasoningStripOptions): ForwardedChatAnswer | null {
  if (!isUtf8(body)) return null;
  const root = tryParse(body.toString());
  if (!isObject(root) || !hasOnlyStandardMembers(root) || !Array.isArray(root['choices'])) return null;
  let finish: Finish | undefined;
  for (const choice of root['choices']) {
    if (!isObject(choice) || choice['usage'] !== undefined) return null;
    const { message, finish_reason: raw } = choice;
    if (!isObject(message) || (options.stripReasoning && !hasNoReasoning(choice, message, options)))
      return null;
    if (typeof raw !== 'string' || raw === '') return null;
    finish ??= parseFinishReason(raw);
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

/** Nothing at the top tells an error, or is a host's own member, which may tell anything. */
function hasOnlyStandardMembers(root: JsonObject): boolean {
  if ((root['error'] ?? null) !== null || root['object'] === 'error' || root['base_resp'] !== undefined)
    return false;
  for (const name in root) if (name.startsWith('x_')) return false;
  return true;
}

/** Whether there is nothing to cut. Parts of a list may be reasoning, and so may text that begins with a tag. */
function hasNoReasoning(
  choice: JsonObject,
  message: JsonObject,
  { thinkTags }: ReasoningStripOptions,
): boolean {
  if (choice['delta'] !== undefined) return false;
  for (const name of REASONING_MEMBERS) if (message[name] !== undefined) return false;
  const { content } = message;
  return typeof content === 'string' ? !(thinkTags && /^\s*</.test(content)) : !Array.isArray(content);
}

/** Undefined for what is no JSON. */
function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads any answer byte by byte.
 *
 * @example
 * const options = { stripReasoning: true, thinkTags: false };
 * scanAnswer(Buffer.from('{"choices":[]'), options).fault?.code; // 'upstream_error'
 */
export function scanAnswer(body: Buffer, options: ReasoningStripOptions): ForwardedChatAnswer {
  const walk = new ChatScanner(options);
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

function validateAnswer(walk: ChatScanner, body: Buffer): Fault | undefined {
  const refuse = (message: string) =>
    new Fault('upstream_error', message, { upstreamBody: bodyExcerpt(body) });
  if (!isUtf8(body)) return refuse('The provider sent a response that is not valid UTF-8.');
  try {
    if (!walk.read(body, 0, body.length) || walk.hasError) return upstreamErrorFault(body.toString());
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return refuse('The provider sent a response that is not complete JSON.');
  }
  if (!walk.hasChoices) return refuse('The provider sent a response without choices.');
  return walk.isFinished ? undefined : refuse('The provider sent a response without a finish reason.');
}

function bodyExcerpt(body: Buffer): string {
  return body.toString('utf8', 0, 2048);
}
