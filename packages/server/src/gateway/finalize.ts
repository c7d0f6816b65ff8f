import type { Fault } from '@floe/contract/faults';
import type { ExchangeRow } from '../store/ports.ts';
import { callerOf } from './admit.ts';
import { deferSettlement, underWay } from './background/under-way.ts';
import { keepBodies } from './bodies/keep-bodies.ts';
import { clientNameOf } from './client-name.ts';
import { sessionNamed } from './conversation.ts';
import { endUserOf } from './end-user.ts';
import { outputCapOf } from './estimate-request.ts';
import { type Decision, type Exchange, isAuthenticated, type StartedExchange } from './exchange-record.ts';
import { promptSaving } from './prompt-saving.ts';
import { tokenColumns } from './usage-fields.ts';
import { savedBy, type Worth, worthOf } from './worth.ts';

/** Of a response that its provider still makes. */
const NOTHING_YET: Worth = { usage: null, source: 'none', nanoUsd: null, costSource: null };

/**
 * Once per exchange, whatever its end: counts it and hands its row to the writer that cannot lose it. Without a key there is
 * no org whose row it could be; such requests show in the metrics alone.
 */
export function finalize(x: StartedExchange): void {
  const latencyMs = x.gateway.clock.monotonic() - x.startedAt;
  if (isAuthenticated(x)) record(x, latencyMs);
  else countExchange(x, NOTHING_YET, latencyMs);
}

function record(x: Exchange, latencyMs: number): void {
  const { gateway, admission, caller } = x;
  gateway.open.delete(x);
  const background = underWay(x);
  const worth = background ? NOTHING_YET : worthOf(x);
  if (admission && !background) {
    gateway.guard.settle(
      admission.grant,
      x.outcome.state === 'cached' ? 0 : tokensOf(worth),
      worth.nanoUsd ?? 0,
    );
    noteLength(x, worth);
  }
  const { results } = x.answer;
  if (results !== null && worth.nanoUsd) bookResults(x, results, worth.nanoUsd);
  countExchange(x, worth, latencyMs);
  const row = rowOf(x, worth, latencyMs);
  if (background) deferSettlement(x, background, row);
  else gateway.rows.append(row);
  const { bodyTape } = x.client;
  if (bodyTape && caller.catalog.bodies) keepBodies(x, caller.key, bodyTape, caller.catalog.bodies);
}

function countExchange(x: StartedExchange, worth: Worth, latencyMs: number): void {
  x.gateway.metrics.exchange({
    surface: x.surface.name,
    provider: x.target?.provider.id ?? '',
    status: x.outcome.status,
    state: x.outcome.state,
    latencyMs: x.attempts.length === 0 ? null : latencyMs,
    firstTokenMs: firstTokenMsOf(x),
    cache: x.cache,
    inputTokens: worth.usage?.units.input ?? 0,
    outputTokens: worth.usage?.units.output ?? 0,
  });
}

/** What the next request without a cap may expect. */
function noteLength(x: Exchange, { usage }: Worth): void {
  const {
    outcome,
    request: { ask },
    caller,
    target,
    attempts,
    gateway,
  } = x;
  const output = usage?.units.output ?? 0;
  if (outcome.state !== 'complete' || output === 0 || attempts.length !== 1) return;
  if (ask === null || target === null || outputCapOf(ask) !== null) return;
  const each = Math.ceil(output / ask.choices);
  gateway.outputLengths.note(caller.key.orgId, target.provider.id, target.model, each);
}

/** What a batch used is known when its results are read; budgets on its models count it then. */
function bookResults(x: Exchange, results: ReadonlyMap<string, unknown>, nanoUsd: number): void {
  const { gateway, target } = x;
  const { rules } = x.caller.catalog;
  if (target === null || rules === null) return;
  const models = [...results.keys()].map((model) => `${target.provider.id}/${model}`);
  const caller = { ...callerOf(x, rules, null), models };
  gateway.guard.charge(x.id, rules, caller, nanoUsd).catch((error: unknown) => {
    gateway.log.error({ err: error, request_id: x.id }, 'the results of a batch could not be booked');
  });
}

function rowOf(x: Exchange, { usage, source, nanoUsd, costSource }: Worth, latencyMs: number): ExchangeRow {
  const {
    target,
    outcome: { state, status, fault },
    caller: { key },
  } = x;
  const asked = x.request.ask ?? x.request.opaque;
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
    end_user: endUserOf(x),
    model_requested: asked?.model ?? fault?.detail.model ?? null,
    provider: target?.provider.id ?? null,
    model: target?.model || null,
    stream: asked?.stream ? 1 : 0,
    status,
    state,
    error_code: fault?.code ?? null,
    error_source: fault?.source ?? null,
    finish_reason: x.answer.finish,
    ...tokenColumns(usage),
    usage_source: source,
    cost_nano_usd: nanoUsd,
    cost_source: costSource,
    saved_nano_usd: savedBy(x),
    cache: x.cache,
    latency_ms: hundredths(latencyMs),
    first_token_ms: firstTokenMs === null ? null : hundredths(firstTokenMs),
    overhead_ms: overheadOf(x, latencyMs),
    request_bytes: x.request.ask?.body.length ?? x.request.opaque?.bytes ?? 0,
    response_bytes: x.client.bytesOut,
    client: clientNameOf(x.client.headers),
    session: sessionNamed(x.client.headers, x.request.ask),
    prompt_saved_nano_usd: promptSaving(x),
    metadata_json: x.controls?.metadata ? JSON.stringify(x.controls.metadata) : null,
    dropped_json: x.answer.dropped.length > 0 ? JSON.stringify(x.answer.dropped) : null,
    attempts_json: JSON.stringify(x.attempts),
    decisions_json: JSON.stringify(fault ? [...x.decisions, faultDecision(fault)] : x.decisions),
  };
}

function firstTokenMsOf({ progress: { firstTokenAt }, startedAt }: StartedExchange): number | null {
  return firstTokenAt === null ? null : firstTokenAt - startedAt;
}

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Before the first upstream call and after its last byte: the time that was Floe's own. */
function overheadOf(x: Exchange, latencyMs: number): number {
  if (x.upstream === null) return hundredths(latencyMs);
  return hundredths(latencyMs - (x.upstream.endedAt - x.upstream.sentAt));
}

/** What a TPM limit counts: everything in, everything out. */
function tokensOf({ usage }: Worth): number {
  return (usage?.units.input ?? 0) + (usage?.units.output ?? 0);
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
