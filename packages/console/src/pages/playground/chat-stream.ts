import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import type { ChatToolCall } from './chat-request.ts';
import { playgroundText as strings } from './text.ts';

/** Parses a streamed Chat Completions response. Pure. */

/** The part of a response that has been received so far. */
export interface PartialChatResponse {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ChatToolCall[];
  readonly finish: string | null;
  /** Whether the stream said that the response is complete. A stream that ends without this was cut off. */
  readonly isComplete: boolean;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** An error event inside the stream, or null. */
  readonly failure: { readonly message: string; readonly code: string } | null;
}

/** The response before any event has been received. */
export const EMPTY_CHAT_RESPONSE: PartialChatResponse = {
  text: '',
  reasoning: '',
  calls: [],
  finish: null,
  isComplete: false,
  inputTokens: null,
  outputTokens: null,
  failure: null,
};

/**
 * Splits a stream of server-sent events into the data of each event. A chunk can end in the middle of an event.
 */
export class SseDataParser {
  #rest = '';

  /** Adds a chunk and returns the data of all events that are now complete. */
  push(piece: string): string[] {
    const text = this.#rest + piece;
    const events = text.split(/\r?\n\r?\n/);
    this.#rest = events.pop() ?? '';
    return events.flatMap((event) => {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''));
      return data.length === 0 ? [] : [data.join('\n')];
    });
  }
}

/** Returns the response after one more event of the stream. Unknown events do not change it. */
export function applyChatEvent(answer: PartialChatResponse, data: string): PartialChatResponse {
  if (data === '[DONE]') return { ...answer, isComplete: true };
  const chunk = objectIn(data);
  if (!chunk) return answer;
  const error = chunk['error'];
  if (isJsonObject(error))
    return {
      ...answer,
      failure: {
        message: textAt(error, 'message') || strings.answer.streamBroke,
        code: textAt(error, 'code'),
      },
    };
  const choices = chunk['choices'];
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const usage = chunk['usage'];
  const counted = isJsonObject(usage)
    ? {
        ...answer,
        inputTokens: numberAt(usage, 'prompt_tokens'),
        outputTokens: numberAt(usage, 'completion_tokens'),
      }
    : answer;
  return isJsonObject(choice) ? applyChoice(counted, choice) : counted;
}

function applyChoice(answer: PartialChatResponse, choice: JsonObject): PartialChatResponse {
  const delta = choice['delta'] ?? choice['message'];
  const finish = textAt(choice, 'finish_reason') || answer.finish;
  const isComplete = answer.isComplete || finish !== null;
  if (!isJsonObject(delta)) return { ...answer, finish, isComplete };
  const calls = delta['tool_calls'];
  return {
    ...answer,
    finish,
    isComplete,
    text: answer.text + textAt(delta, 'content') + textAt(delta, 'refusal'),
    reasoning: answer.reasoning + (textAt(delta, 'reasoning_content') || textAt(delta, 'reasoning')),
    calls: Array.isArray(calls)
      ? calls.filter(isJsonObject).reduce(applyToolCall, answer.calls)
      : answer.calls,
  };
}

function applyToolCall(calls: readonly ChatToolCall[], piece: JsonObject): readonly ChatToolCall[] {
  const index = numberAt(piece, 'index') ?? calls.length;
  const call = piece['function'];
  const known = calls[index] ?? { id: '', name: '', args: '' };
  const next: ChatToolCall = {
    id: textAt(piece, 'id') || known.id,
    name: known.name + (isJsonObject(call) ? textAt(call, 'name') : ''),
    args: known.args + (isJsonObject(call) ? textAt(call, 'arguments') : ''),
  };
  const list = [...calls];
  list[index] = next;
  return list;
}

function objectIn(data: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(data);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function textAt(from: JsonObject, name: string): string {
  const value = from[name];
  return typeof value === 'string' ? value : '';
}

function numberAt(from: JsonObject, name: string): number | null {
  const value = from[name];
  return typeof value === 'number' ? value : null;
}
