import type { Fault } from '@floe/contract/faults';
import type { ExchangeRow } from '../store/ports.ts';
import { keepBodies } from './bodies/keep-bodies.ts';
import { endUserOf } from './end-user.ts';
import type { Decision, Exchange } from './exchange-record.ts';
import { savedBy, type Worth, worthOf } from './worth.ts';

/** Once per exchange, whatever its end: counts it and hands its row to the writer that cannot lose it. */
export function settle(x: Exchange): void {
  const { gateway, grant } = x;
  gateway.open.delete(x);
  const worth = worthOf(x);
  if (grant) gateway.guard.settle(grant, x.state === 'cached' ? 0 : tokensOf(worth), worth.nanoUsd ?? 0);
  const latencyMs = gateway.clock.monotonic() - x.startedAt;
  gateway.metrics.exchange({
    surface: x.surface.name,
    provider: x.target?.provider.id ?? '',
    status: x.status,
    state: x.state,
    latencyMs,
    firstTokenMs: x.firstTokenAt === null ? null : x.firstTokenAt - x.startedAt,
    cache: x.cache,
    inputTokens: worth.usage?.input ?? 0,
    outputTokens: worth.usage?.output ?? 0,
  });
  // Without a key there is no org whose row it could be; such requests show in the metrics alone.
  if (!x.key) return;
  gateway.rows.append(rowOf(x, x.key, worth, latencyMs));
  const { bodyTape } = x.client;
  if (bodyTape && x.catalog?.bodies) keepBodies(x, x.key, bodyTape, x.catalog.bodies);
}

function rowOf(
  x: Exchange,
  key: NonNullable<Exchange['key']>,
  { usage, source, nanoUsd, priceSource }: Worth,
  latencyMs: number,
): ExchangeRow {
  const { target, fault } = x;
  const asked = x.ask ?? x.opaque;
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
    end_user: endUserOf(x),
    model_requested: asked?.model ?? null,
    provider: target?.provider.id ?? null,
    model: target?.model || null,
    stream: asked?.stream ? 1 : 0,
    status: x.status,
    state: x.state,
    error_code: fault?.code ?? null,
    error_source: fault?.source ?? null,
    finish_reason: x.finish,
    input_tokens: usage?.input ?? null,
    cached_tokens: usage?.cached ?? null,
    cache_write_tokens: usage?.cacheWrite ?? null,
    output_tokens: usage?.output ?? null,
    reasoning_tokens: usage?.reasoning ?? null,
    usage_source: source,
    cost_nano_usd: nanoUsd,
    cost_source: priceSource,
    saved_nano_usd: savedBy(x),
    cache: x.cache,
    latency_ms: hundredths(latencyMs),
    first_token_ms: x.firstTokenAt === null ? null : hundredths(x.firstTokenAt - x.startedAt),
    overhead_ms: overheadOf(x, latencyMs),
    request_bytes: x.ask?.body.length ?? x.opaque?.bytes ?? 0,
    response_bytes: x.client.bytesOut,
    metadata_json: x.controls?.metadata ? JSON.stringify(x.controls.metadata) : null,
    dropped_json: x.dropped.length > 0 ? JSON.stringify(x.dropped) : null,
    attempts_json: JSON.stringify(x.attempts),
    decisions_json: JSON.stringify(fault ? [...x.decisions, faultDecision(fault)] : x.decisions),
  };
}

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Before the first upstream call and after its last byte: the time that was Floe's own. */
function overheadOf(x: Exchange, latencyMs: number): number {
  if (x.sentAt === null || x.upstreamEndedAt === null) return hundredths(latencyMs);
  return hundredths(latencyMs - (x.upstreamEndedAt - x.sentAt));
}

/** What a TPM limit counts: everything in, everything out. */
function tokensOf({ usage }: Worth): number {
  return (usage?.input ?? 0) + (usage?.output ?? 0);
}

function faultDecision({ code, message, detail: { rule, retryAfterMs } }: Fault): Decision {
  return {
    step: 'answer',
    outcome: code,
    because: message,
    ...(rule && { rule }),
    ...(rule && retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}
