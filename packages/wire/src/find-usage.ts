import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { addBilledUnitCount, type MutableBilledUnitCounts } from './billed-unit-counts.ts';
import { readMessagesUsage } from './messages/usage.ts';
import { readResponsesUsage } from './responses/usage.ts';
import { readChatUsage, type Usage } from './usage.ts';

/**
 * Reads `usage` of any dialect, for responses that are not parsed otherwise. The names identify the dialect:
 * Chat has `prompt_tokens`; Messages has cache counts next to `input_tokens`; Responses has them nested.
 * `total_tokens` alone (rerank, audio) counts as input.
 */
function readDialectUsage(holder: unknown): Usage | undefined {
  if (!isJsonObject(holder)) return undefined;
  const usage = holder['usage'];
  if (!isJsonObject(usage)) return undefined;
  if ('prompt_tokens' in usage || 'completion_tokens' in usage)
    return readChatUsage(usage, holder['service_tier']);
  if ('cache_read_input_tokens' in usage || 'cache_creation_input_tokens' in usage)
    return readMessagesUsage(usage);
  return readResponsesUsage(holder) ?? readTotalTokens(usage);
}

/** Reads Cohere's own format: tokens, and searches of rerank. */
function billedUnits(meta: unknown): Usage | undefined {
  const billing = isJsonObject(meta) ? meta['billed_units'] : undefined;
  if (!isJsonObject(billing)) return undefined;
  const units: MutableBilledUnitCounts = { ...readResponsesUsage({ usage: billing })?.units };
  addBilledUnitCount(units, 'search', billing['search_units']);
  return Object.keys(units).length === 0 ? undefined : { units };
}

function readTotalTokens(usage: JsonObject): Usage | undefined {
  const total =
    usage['total_tokens'] ?? (isJsonObject(usage['tokens']) ? usage['tokens']['input_tokens'] : null);
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0
    ? { units: { input: total } }
    : undefined;
}

/**
 * Finds the usage in a complete JSON response of any dialect.
 * @example
 * findUsage({ usage: { prompt_tokens: 7, completion_tokens: 2 } }).units; // { input: 7, output: 2 }
 */
export function findUsage(answer: unknown): Usage | undefined {
  if (!isJsonObject(answer)) return undefined;
  return (
    readDialectUsage(answer) ??
    readDialectUsage(answer['response']) ??
    readDialectUsage(answer['message']) ??
    billedUnits(answer['meta'])
  );
}

/** The usage of one request in a batch. */
export interface BatchResultUsage {
  /** The model in the response; '' if absent. */
  readonly model: string;
  readonly usage: Usage;
}

/**
 * Reads the usage of one line of batch results, with the batch tier. Returns undefined for any other line.
 * @example
 * const body = { model: 'gpt-5', usage: { prompt_tokens: 7 } };
 * readBatchResultUsage({ response: { body } }); // { model: 'gpt-5', usage: { units: { input: 7 }, tier: 'batch' } }
 */
export function readBatchResultUsage(line: unknown): BatchResultUsage | undefined {
  if (!isJsonObject(line)) return undefined;
  const { response, result } = line;
  const answer = isJsonObject(response) ? response['body'] : result;
  const usage = findUsage(answer);
  return usage && { model: findModel(answer), usage: { ...usage, tier: 'batch' } };
}

function findModel(answer: unknown): string {
  if (!isJsonObject(answer)) return '';
  const { model, message } = answer;
  const named = typeof model === 'string' ? model : isJsonObject(message) ? message['model'] : undefined;
  return typeof named === 'string' ? named : '';
}
