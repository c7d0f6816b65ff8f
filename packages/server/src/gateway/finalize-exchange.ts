import type { Fault } from '@floe/contract/faults';
import { findRequestedMaxOutputTokens } from '../guardrails/requested-max-output-tokens.ts';
import type { ExchangeRow } from '../store/store-interfaces.ts';
import { formatExchangeLine, isAlwaysLogged } from './access-log-line.ts';
import { buildRequestAttributes } from './admit-exchange.ts';
import { deferFinalization, findUnfinishedResponse } from './background/unfinished-response.ts';
import { storeBodies } from './bodies/store-bodies.ts';
import { detectClientName } from './client-name.ts';
import { findSessionId } from './conversation-id.ts';
import { findEndUser } from './end-user.ts';
import {
  type Exchange,
  type ExchangeDecision,
  hasCallerAndCapacity,
  type StartedExchange,
} from './exchange-record.ts';
import { computePromptCacheSavings } from './prompt-cache-savings.ts';
import { computeResponseCacheSavings, recordUsageAndCost, type UsageAndCost } from './usage-and-cost.ts';
import { toTokenColumns } from './usage-fields.ts';

/** The usage of a response that its provider still generates. */
const NO_USAGE: UsageAndCost = { usage: null, source: 'none', nanoUsd: null, costSource: null };

/**
 * Counts an exchange and writes its row to the spool. Must be called exactly once per exchange,
 * whatever the result. A request without a valid key belongs to no organization, and a request that was rejected
 * because of overload before its body was read must not cause more work. Neither gets a row. Only metrics and the
 * access log include them.
 */
export function finalizeExchange(x: StartedExchange): void {
  const latencyMs = x.gateway.clock.monotonic() - x.startedAt;
  if (!hasCallerAndCapacity(x)) return countExchange(x, NO_USAGE, latencyMs);
  try {
    recordExchange(x, latencyMs);
  } finally {
    // If a bug prevented the settlement, the reserved cost is charged, as after a crash. Otherwise without effect.
    if (x.admission) x.gateway.guard.settle(x.admission.grant, 0, x.admission.grant.reservedNanoUsd ?? 0);
  }
}

function recordExchange(x: Exchange, latencyMs: number): void {
  const { gateway, admission, caller } = x;
  gateway.openExchanges.delete(x);
  x.capacity.release();
  const background = findUnfinishedResponse(x);
  const usageAndCost = background ? NO_USAGE : recordUsageAndCost(x);
  if (admission && !background) {
    gateway.guard.settle(
      admission.grant,
      x.result.state === 'cached' ? 0 : totalTokens(usageAndCost),
      usageAndCost.nanoUsd ?? 0,
    );
    recordOutputLength(x, usageAndCost);
  }
  const { results } = x.answer;
  if (results !== null && usageAndCost.nanoUsd) chargeBatchResults(x, results, usageAndCost.nanoUsd);
  countExchange(x, usageAndCost, latencyMs);
  const row = buildRow(x, usageAndCost, latencyMs);
  if (background) deferFinalization(x, background, row);
  else gateway.rows.append(row);
  const { bodyRecorder } = x.client;
  if (bodyRecorder && caller.catalog.bodies) storeBodies(x, caller.key, bodyRecorder, caller.catalog.bodies);
}

function countExchange(x: StartedExchange, usageAndCost: UsageAndCost, latencyMs: number): void {
  const firstTokenMs = firstTokenMsOf(x);
  const { accessLog } = x.gateway;
  if (accessLog.accepts(isAlwaysLogged(x.result)))
    accessLog.write(formatExchangeLine(x, { usageAndCost, latencyMs, firstTokenMs }));
  x.gateway.metrics.recordExchange({
    orgId: x.caller?.key.orgId ?? '',
    surface: x.surface.name,
    provider: x.target?.provider.id ?? '',
    status: x.result.status,
    state: x.result.state,
    latencyMs: x.attempts.length === 0 ? null : latencyMs,
    firstTokenMs,
    cache: x.cache,
    inputTokens: usageAndCost.usage?.units.input ?? 0,
    outputTokens: usageAndCost.usage?.units.output ?? 0,
    model: x.target?.model ?? '',
    team: x.caller?.key.team ?? '',
    costUsd: (usageAndCost.nanoUsd ?? 0) / 1e9,
    blockedBy: findBlockReason(x),
    attempts: x.attempts,
  });
}

/** Returns what blocked an exchange, as its metric reports it; null if it was not blocked. */
function findBlockReason({ result: { state, fault } }: StartedExchange): string | null {
  if (state !== 'blocked' || fault === null) return null;
  const { code, detail } = fault;
  if (detail.rule) return detail.rule.kind;
  if (code === 'rate_limit_exceeded') return 'limit';
  if (code === 'budget_exceeded' || code === 'budget_reserved') return 'budget';
  if (code === 'policy_denied') return 'policy';
  return code === 'price_unknown' ? 'price' : 'allowlist';
}

/** Records the output length. Later requests without an output maximum use it for their estimate. */
function recordOutputLength(x: Exchange, { usage }: UsageAndCost): void {
  const {
    result,
    request: { prompt },
    caller,
    target,
    attempts,
    gateway,
  } = x;
  const output = usage?.units.output ?? 0;
  if (result.state !== 'complete' || output === 0 || attempts.length !== 1) return;
  if (prompt === null || target === null || findRequestedMaxOutputTokens(prompt) !== null) return;
  const each = Math.ceil(output / prompt.choices);
  gateway.outputLengths.record(caller.key.orgId, target.provider.id, target.model, each);
}

/** Charges the usage of a batch to budgets when its results are read. */
function chargeBatchResults(x: Exchange, results: ReadonlyMap<string, unknown>, nanoUsd: number): void {
  const { gateway, target } = x;
  const { rules } = x.caller.catalog;
  if (target === null || rules === null) return;
  const models = [...results.keys()].map((model) => `${target.provider.id}/${model}`);
  const caller = { ...buildRequestAttributes(x, rules, null), models };
  gateway.guard.charge(x.id, rules, caller, nanoUsd).catch((error: unknown) => {
    gateway.log.error(
      { err: error, request_id: x.id },
      'cost of batch results could not be charged to budgets; the budgets do not include this cost',
    );
  });
}

function buildRow(
  x: Exchange,
  { usage, source, nanoUsd, costSource }: UsageAndCost,
  latencyMs: number,
): ExchangeRow {
  const {
    target,
    result: { state, status, fault },
    caller: { key },
  } = x;
  const asked = x.request.prompt ?? x.request.opaque;
  const firstTokenMs = firstTokenMsOf(x);
  return {
    id: x.id,
    org_id: key.orgId,
    created_at: x.createdAt,
    surface: x.surface.name,
    route_mode: x.surface.routeMode,
    key_id: key.id,
    key_name: key.name,
    team: key.team,
    owner: key.owner,
    end_user: findEndUser(x),
    model_requested: asked?.model ?? fault?.detail.model ?? null,
    provider: target?.provider.id ?? null,
    model: target?.model || null,
    stream: asked?.stream ? 1 : 0,
    status,
    state,
    error_code: fault?.code ?? null,
    error_source: fault?.source ?? null,
    finish_reason: x.answer.finishReason,
    ...toTokenColumns(usage),
    usage_source: source,
    cost_nano_usd: nanoUsd,
    cost_source: costSource,
    saved_nano_usd: computeResponseCacheSavings(x),
    cache: x.cache,
    latency_ms: roundToHundredths(latencyMs),
    first_token_ms: firstTokenMs === null ? null : roundToHundredths(firstTokenMs),
    overhead_ms: overheadMs(x, latencyMs),
    request_bytes: x.request.prompt?.body.length ?? x.request.opaque?.bytes ?? 0,
    response_bytes: x.client.bytesOut,
    client: detectClientName(x.client.headers),
    session: findSessionId(x.client.headers, x.request.prompt),
    prompt_saved_nano_usd: computePromptCacheSavings(x),
    metadata_json: x.controls?.metadata ? JSON.stringify(x.controls.metadata) : null,
    dropped_json: x.answer.dropped.length > 0 ? JSON.stringify(x.answer.dropped) : null,
    attempts_json: JSON.stringify(x.attempts),
    decisions_json: JSON.stringify(fault ? [...x.decisions, faultDecision(fault)] : x.decisions),
  };
}

function firstTokenMsOf({ progress: { firstTokenAt }, startedAt }: StartedExchange): number | null {
  return firstTokenAt === null ? null : firstTokenAt - startedAt;
}

function roundToHundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Returns the time before the first call to a provider plus the time after its last byte. */
function overheadMs(x: Exchange, latencyMs: number): number {
  if (x.upstreamSpan === null) return roundToHundredths(latencyMs);
  return roundToHundredths(latencyMs - (x.upstreamSpan.endedAt - x.upstreamSpan.sentAt));
}

/** Returns the tokens that a TPM limit counts: input and output. */
function totalTokens({ usage }: UsageAndCost): number {
  return (usage?.units.input ?? 0) + (usage?.units.output ?? 0);
}

function faultDecision({ code, message, detail: { rule, retryAfterMs } }: Fault): ExchangeDecision {
  return {
    step: 'answer',
    outcome: code,
    reason: message,
    ...(rule && { rule }),
    ...(rule && retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}
