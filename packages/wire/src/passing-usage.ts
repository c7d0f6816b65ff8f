import { isObject, type JsonObject } from '@floe/contract/json';
import { readMessagesUsage } from './messages/usage.ts';
import { readResponsesUsage } from './responses/usage.ts';
import { readChatUsage, type Usage } from './usage.ts';

/**
 * Reads a `usage` object of whichever dialect, for answers that pass unread otherwise. Told apart by their
 * names: Chat counts `prompt_tokens`, Messages has cache counts beside `input_tokens`, Responses within them.
 * `billed_units` and `total_tokens` alone (rerank, audio) count as input.
 */
export function readAnyUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if ('prompt_tokens' in value || 'completion_tokens' in value) return readChatUsage(value);
  if ('cache_read_input_tokens' in value || 'cache_creation_input_tokens' in value)
    return readMessagesUsage(value);
  const read = readResponsesUsage(value);
  if (read) return read;
  const total = value['total_tokens'] ?? (isObject(value['tokens']) ? value['tokens']['input_tokens'] : null);
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0
    ? { input: total }
    : undefined;
}

/** The usage of a whole JSON answer, wherever its dialect puts it. */
export function usageIn(answer: unknown): Usage | undefined {
  if (!isObject(answer)) return undefined;
  return (
    readAnyUsage(answer['usage']) ??
    readAnyUsage(memberOf(answer, 'response', 'usage')) ??
    readAnyUsage(memberOf(answer, 'message', 'usage')) ??
    readAnyUsage(memberOf(answer, 'meta', 'billed_units'))
  );
}

/** The usage of one line of batch results; undefined for any other line. */
export function usageOfResult(line: unknown): Usage | undefined {
  if (!isObject(line)) return undefined;
  const response = line['response'];
  const result = line['result'];
  if (isObject(response)) return usageIn(response['body']);
  if (isObject(result)) return usageIn(result);
  return undefined;
}

/** Adds what several answers used. */
export function addUsage(sum: Usage | null, more: Usage): Usage {
  const add = (one: number | undefined, other: number | undefined) =>
    one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
  const input = add(sum?.input, more.input);
  const cached = add(sum?.cached, more.cached);
  const cacheWrite = add(sum?.cacheWrite, more.cacheWrite);
  const output = add(sum?.output, more.output);
  const reasoning = add(sum?.reasoning, more.reasoning);
  return {
    ...(input !== undefined && { input }),
    ...(cached !== undefined && { cached }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

function memberOf(value: JsonObject, outer: string, inner: string): unknown {
  const found = value[outer];
  return isObject(found) ? found[inner] : undefined;
}
