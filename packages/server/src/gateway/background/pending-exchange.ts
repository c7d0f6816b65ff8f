import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { countContentBytes } from '@floe/wire/content-bytes';
import { findUsage } from '@floe/wire/find-usage';
import { mergeUsage, type Usage } from '@floe/wire/usage';
import { estimateContentTokens } from '../../guardrails/token-estimate.ts';
import type { ExchangeRow } from '../../store/store-interfaces.ts';
import { truncateFinishReason } from '../attempt-response-data.ts';
import { removeImplausibleCounts } from '../charged-usage.ts';
import type { AttemptRecord } from '../exchange-record.ts';
import type { OrgCatalog } from '../org-catalog.ts';
import { recordAttemptCost } from '../usage-and-cost.ts';
import { toTokenColumns } from '../usage-fields.ts';
import type { PendingExchange } from './deferred-exchange.ts';

const NO_USAGE: Usage = { units: {} };

/** Parses a stored exchange. Checks only its outer structure, because Floe wrote the text. */
export function parsePendingExchange(text: string): PendingExchange {
  const value: unknown = JSON.parse(text);
  if (!isPendingExchange(value)) throw new Error('a stored background response has an unexpected format');
  return value;
}

/**
 * Checks only the outer structure, because a process of this version or an earlier one wrote the text from a
 * `PendingExchange`.
 */
function isPendingExchange(value: unknown): value is PendingExchange {
  return isJsonObject(value) && isJsonObject(value['row']) && Array.isArray(value['charges']);
}

/** Returns the request log row for a finished response, with the cost at its model's price. */
export function buildFinalExchangeRow(
  { row, tier, inputTokens }: PendingExchange,
  response: JsonObject,
  catalogs: ReadonlyMap<string, Pick<OrgCatalog, 'providers'>>,
): ExchangeRow {
  const price =
    catalogs
      .get(row.org_id)
      ?.providers.get(row.provider ?? '')
      ?.priceOf(row.model ?? '') ?? null;
  const reported = findUsage(response) ?? null;
  const said = removeImplausibleCounts(reported);
  // An implausible count is estimated, like the usage of a response that reports none.
  const isEstimated = said === null || said !== reported;
  const usage = isEstimated ? mergeUsage(estimateUsage(response, inputTokens), said ?? NO_USAGE) : said;
  const attempts: AttemptRecord[] = JSON.parse(row.attempts_json);
  const full: Usage = { units: usage.units, tier: usage.tier ?? tier ?? undefined };
  const cost = recordAttemptCost(attempts.at(-1), full, price, row.created_at);
  const status = response['status'];
  return {
    ...row,
    finish_reason: typeof status === 'string' ? truncateFinishReason(status) : row.finish_reason,
    ...toTokenColumns(usage),
    usage_source: isEstimated ? 'estimated' : 'provider',
    cost_nano_usd: cost.nanoUsd,
    cost_source: cost.costSource,
    attempts_json: JSON.stringify(attempts),
  };
}

/**
 * Returns the request log row for a response that the provider no longer has. The reserved amount is charged.
 */
export function buildLostResponseRow({ row, inputTokens, reservedNanoUsd }: PendingExchange): ExchangeRow {
  return {
    ...row,
    input_tokens: inputTokens,
    usage_source: 'estimated',
    cost_nano_usd: reservedNanoUsd,
    cost_source: 'incomplete',
  };
}

/** Estimates the usage from the content of the response. A response that never ran has no usage. */
function estimateUsage({ output }: JsonObject, inputTokens: number): Usage {
  if (!Array.isArray(output) || output.length === 0) return { units: { input: 0, output: 0 } };
  const { added, whole } = countContentBytes(Buffer.from(JSON.stringify({ output })));
  return { units: { input: inputTokens, output: estimateContentTokens(added + whole) } };
}
