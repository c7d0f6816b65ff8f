import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { generateSchemaExample } from './schema-example.ts';

/** The maximum number of chunks of a text. Each word is a chunk, and the last chunk contains the rest of the text. */
const MAX_WORDS = 10_000;

/** The sandbox's response to a Chat Completions request. */
export interface SandboxResponse {
  /** The texts of the streamed chunks, in order. */
  readonly words: readonly string[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A failure that the last user message of `sandbox/flaky` requests, such as `fail 503` or `fail cut`. */
export type SandboxFailure =
  | { readonly type: 'status'; readonly status: number }
  | { readonly type: 'cut' | 'silence' | 'malformed' | 'no-finish' };

/** Builds a sandbox model's response to a Chat Completions request. */
export function buildSandboxResponse(model: string, body: JsonObject): SandboxResponse {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const calls = model === 'tools' ? offeredCalls(body, messages) : [];
  const text = calls.length > 0 ? '' : answerText(model, body, messages);
  return {
    words: splitIntoWords(text),
    calls,
    inputTokens: estimateTokens(JSON.stringify(messages)),
    outputTokens:
      estimateTokens(text) + calls.reduce((sum, call) => sum + estimateTokens(call.name + call.arguments), 0),
  };
}

/** Splits a text before the white space between its words. */
function splitIntoWords(text: string): string[] {
  const words: string[] = [];
  // Sticky: otherwise, the time would grow with the square of the length of the white space.
  const word = /\s*\S+(?:\s+$)?/y;
  let start = 0;
  while (words.length < MAX_WORDS - 1 && word.test(text)) {
    words.push(text.slice(start, word.lastIndex));
    start = word.lastIndex;
  }
  if (start < text.length) words.push(text.slice(start));
  return words;
}

/** Returns one token per four characters, so that results are easy to verify. */
function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function answerText(model: string, body: JsonObject, messages: readonly Json[]): string {
  const format = isJsonObject(body.response_format) ? body.response_format : {};
  const schema = isJsonObject(format.json_schema) ? format.json_schema.schema : undefined;
  if (format.type === 'json_schema') return JSON.stringify(generateSchemaExample(schema));
  if (format.type === 'json_object')
    return JSON.stringify({ echo: getLastMessageTextOrGreeting(messages, 'user') });
  const result = model === 'tools' ? lastToolResult(messages) : undefined;
  return result === undefined
    ? getLastMessageTextOrGreeting(messages, 'user')
    : `The tool answered: ${result}`;
}

/**
 * Returns the text of the last message with a role. Parts that are not text are replaced with their
 * type in brackets. If there is no such message, returns a greeting.
 */
export function getLastMessageTextOrGreeting(messages: readonly Json[], role: string): string {
  const last = messages.filter((message) => isJsonObject(message) && message.role === role).at(-1);
  if (!isJsonObject(last)) return 'Hello from the sandbox.';
  if (typeof last.content === 'string') return last.content;
  if (!Array.isArray(last.content)) return '';
  return last.content
    .map((part) =>
      isJsonObject(part) && typeof part.text === 'string'
        ? part.text
        : `[${isJsonObject(part) ? String(part.type) : 'part'}]`,
    )
    .join(' ');
}

function lastToolResult(messages: readonly Json[]): string | undefined {
  const last = messages.at(-1);
  return isJsonObject(last) && last.role === 'tool'
    ? getLastMessageTextOrGreeting(messages, 'tool')
    : undefined;
}

/** Returns one call per offered tool, unless the last message is already the result of a call. */
function offeredCalls(body: JsonObject, messages: readonly Json[]): SandboxResponse['calls'] {
  if (lastToolResult(messages) !== undefined || body.tool_choice === 'none' || !Array.isArray(body.tools))
    return [];
  const wanted =
    isJsonObject(body.tool_choice) && isJsonObject(body.tool_choice.function)
      ? body.tool_choice.function.name
      : undefined;
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const tool of body.tools) {
    const declared = isJsonObject(tool) && isJsonObject(tool.function) ? tool.function : undefined;
    if (typeof declared?.name !== 'string' || (wanted !== undefined && declared.name !== wanted)) continue;
    const args = isJsonObject(declared.parameters)
      ? generateSchemaExample({ type: 'object', ...declared.parameters })
      : {};
    calls.push({ id: `call_${calls.length + 1}`, name: declared.name, arguments: JSON.stringify(args) });
  }
  return body.parallel_tool_calls === false ? calls.slice(0, 1) : calls;
}

/**
 * Returns the failure that the last user message requests from the model `sandbox/flaky`. Returns undefined if
 * the message requests no failure.
 */
export function parseRequestedFailure(body: JsonObject): SandboxFailure | undefined {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const order = /\bfail (\d{3}|cut|silence|malformed|no-finish)\b/.exec(
    getLastMessageTextOrGreeting(messages, 'user'),
  )?.[1];
  if (order === undefined) return undefined;
  if (order === 'cut' || order === 'silence' || order === 'malformed' || order === 'no-finish')
    return { type: order };
  const status = Number(order);
  return status >= 400 && status < 600 ? { type: 'status', status } : undefined;
}
