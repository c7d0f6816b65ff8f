import type { RequestRow, requestDetail } from '@floe/contract/api/analytics';
import { exchangeAttempt, exchangeDecision } from '@floe/contract/api/attempts';
import { toDecimalUsd } from '@floe/contract/decimal-usd';
import { classifyExchangeOutcome } from '@floe/contract/exchange-outcome';
import { isJsonObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import type { ExchangeRow } from '../../store/store-interfaces.ts';

/** Converts a stored exchange to the form that request lists use. */
export function toRequestResource(row: ExchangeRow): RequestRow {
  const attempts = parseAttempts(row.attempts_json);
  return {
    id: row.id,
    created_at: new Date(row.created_at).toISOString(),
    surface: row.surface,
    route_mode: row.route_mode,
    key_id: row.key_id,
    key_name: row.key_name,
    team: row.team,
    owner: row.owner,
    end_user: row.end_user,
    client: row.client,
    session: row.session,
    model_requested: row.model_requested,
    provider: row.provider,
    model: row.model,
    stream: row.stream === 1,
    status: row.status,
    state: row.state,
    outcome: classifyExchangeOutcome(row),
    error_code: row.error_code,
    error_source: row.error_source,
    finish_reason: row.finish_reason,
    attempt_count: attempts.length,
    usage: {
      input_tokens: row.input_tokens,
      cached_tokens: row.cached_tokens,
      cache_write_tokens: row.cache_write_tokens,
      output_tokens: row.output_tokens,
      reasoning_tokens: row.reasoning_tokens,
      billed_units: sumBilledUnits(attempts),
      service_tier: findServiceTier(attempts),
      source: row.usage_source,
    },
    cost_nano_usd: row.cost_nano_usd,
    cost_usd: row.cost_nano_usd === null ? null : toDecimalUsd(row.cost_nano_usd),
    cost_source: row.cost_source,
    saved_nano_usd: row.saved_nano_usd,
    prompt_saved_nano_usd: row.prompt_saved_nano_usd,
    cache: row.cache,
    latency_ms: row.latency_ms,
    first_token_ms: row.first_token_ms,
    overhead_ms: row.overhead_ms,
    request_bytes: row.request_bytes,
    response_bytes: row.response_bytes,
    metadata: row.metadata_json === null ? {} : JSON.parse(row.metadata_json),
    dropped: row.dropped_json === null ? [] : JSON.parse(row.dropped_json),
  };
}

function parseAttempts(json: string): readonly Json[] {
  const attempts: Json = JSON.parse(json);
  return Array.isArray(attempts) ? attempts : [];
}

/** Sums the billed units of all attempts. */
function sumBilledUnits(attempts: readonly Json[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const attempt of attempts) {
    const units = isJsonObject(attempt) ? attempt['billed_units'] : undefined;
    if (!isJsonObject(units)) continue;
    for (const [unit, count] of Object.entries(units))
      if (typeof count === 'number') sum[unit] = (sum[unit] ?? 0) + count;
  }
  return sum;
}

/** Service tier of the last billed attempt that was not in the standard tier. */
function findServiceTier(attempts: readonly Json[]): string | null {
  const tiers = attempts.map((attempt) => (isJsonObject(attempt) ? attempt['service_tier'] : undefined));
  return tiers.findLast((tier) => typeof tier === 'string') ?? null;
}

/** Converts a stored exchange to its detail view, with attempts and decisions. */
export function toRequestDetail(row: ExchangeRow): z.input<typeof requestDetail> {
  return {
    ...toRequestResource(row),
    attempts: exchangeAttempt.array().parse(JSON.parse(row.attempts_json)),
    decisions: exchangeDecision.array().parse(JSON.parse(row.decisions_json)),
  };
}
