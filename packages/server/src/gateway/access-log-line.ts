import { classifyExchangeOutcome } from '@floe/contract/exchange-outcome';
import { formatAccessLogPrefix, formatMilliseconds, quoteJson } from '../core/access-log.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import type { Provider } from '../providers/configured-provider.ts';
import type { ExchangeRow } from '../store/store-interfaces.ts';
import type { CacheOutcome, ExchangeResult } from './exchange-record.ts';
import type { GatewaySurface } from './surface.ts';
import type { UsageAndCost } from './usage-and-cost.ts';

/**
 * Maximum length of a client-chosen name in the access log, such as the name of a model that does not exist.
 */
const MAX_NAME_CHARS = 200;

/** The values that the access log records about a finished exchange. */
export interface FinishedExchangeLogValues {
  readonly usageAndCost: UsageAndCost;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
}

/** The fields of a `StartedExchange` that its access log line contains. */
export interface ExchangeLogFields {
  readonly id: string;
  readonly gateway: { readonly clock: { now(): number } };
  readonly surface: Pick<GatewaySurface, 'name' | 'routeMode'>;
  readonly caller: { readonly key: LoggedKey } | null;
  readonly request: { readonly prompt: LoggedRequest | null; readonly opaque: LoggedRequest | null };
  readonly target: LoggedTarget | null;
  readonly attempts: readonly unknown[];
  readonly cache: CacheOutcome | null;
  readonly result: ExchangeResult;
  readonly client: { readonly isDisconnected: boolean };
}

type LoggedKey = Pick<KeyRecord, 'orgId' | 'id' | 'name' | 'team'>;

interface LoggedRequest {
  readonly model: string | null;
  readonly stream: boolean;
}

interface LoggedTarget {
  readonly provider: Pick<Provider, 'id'>;
  readonly model: string;
  readonly credential: { readonly name: string };
}

/** Returns whether the access log always contains this exchange, regardless of sampling. */
export function isAlwaysLogged({ state, status }: ExchangeResult): boolean {
  return status >= 400 || (state !== 'complete' && state !== 'cached');
}

/**
 * Formats the access log line for an exchange. The line contains no request or response content. Builds the
 * JSON text without `JSON.stringify`, because the fields are fixed and few values need escapes.
 */
export function formatExchangeLine(x: ExchangeLogFields, values: FinishedExchangeLogValues): string {
  const { surface, result, client } = x;
  const { usageAndCost, latencyMs, firstTokenMs } = values;
  const asked = x.request.prompt ?? x.request.opaque;
  const units = usageAndCost.usage?.units;
  const model = asked?.model ?? result.fault?.detail.model ?? null;
  const { nanoUsd } = usageAndCost;
  return `${formatAccessLogPrefix(x.gateway.clock.now())},"msg":"exchange","request_id":"${x.id}"${formatCaller(
    x.caller?.key ?? null,
  )},"surface":"${surface.name}","route_mode":"${surface.routeMode}","model_requested":${quoteJson(
    model?.slice(0, MAX_NAME_CHARS),
  )}${formatTarget(x.target)},"stream":${asked?.stream === true},"status":${
    result.status
  },"outcome":"${classifyExchangeOutcome({ state: result.state, status: result.status, error_code: result.fault?.code ?? null })}","error_code":${
    result.fault ? `"${result.fault.code}"` : 'null'
  },"input_tokens":${units?.input ?? null},"output_tokens":${units?.output ?? null},"cost_usd":${formatUsd(
    nanoUsd,
  )},"cache":${x.cache === null ? 'null' : `"${x.cache}"`},"attempts":${x.attempts.length},"client_disconnected":${
    client.isDisconnected
  },"duration_ms":${formatMilliseconds(latencyMs)},"first_token_ms":${
    firstTokenMs === null ? 'null' : formatMilliseconds(firstTokenMs)
  }}\n`;
}

/** A finished gateway request that is not an exchange, such as a request for the model list. */
export interface LoggedNonExchangeRequest {
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly requestId: string;
  /** Null if the caller was not authenticated. */
  readonly key: LoggedKey | null;
  readonly routeMode: GatewaySurface['routeMode'];
  /** Null for a path or method that does not exist. */
  readonly operation: string | null;
  /** The HTTP method. It can be any token, because the client chooses it. */
  readonly method: string;
  readonly status: number;
  readonly errorCode: string | null;
  readonly isDisconnected: boolean;
  readonly durationMs: number;
}

/**
 * Formats the access log line for a gateway request that is not an exchange. The line contains neither the
 * path nor the query.
 */
export function formatNonExchangeRequestLine(call: LoggedNonExchangeRequest): string {
  return `${formatAccessLogPrefix(call.nowMs)},"msg":"gateway_call","request_id":"${call.requestId}"${formatCaller(
    call.key,
  )},"route_mode":"${call.routeMode}","operation":${quoteJson(call.operation)},"method":${quoteJson(
    call.method,
  )},"status":${call.status},"error_code":${quoteJson(call.errorCode)},"client_disconnected":${
    call.isDisconnected
  },"duration_ms":${formatMilliseconds(call.durationMs)}}\n`;
}

/**
 * Formats the access log line for a background response. The line is written when the usage of the response
 * is known.
 * @param row the request log row with its final usage and cost
 * @param responseStatus final status; null if the provider no longer has the response
 */
export function formatBackgroundResponseLine(
  row: ExchangeRow,
  responseStatus: string | null,
  nowMs: number,
): string {
  const key = { orgId: row.org_id, id: row.key_id, name: row.key_name, team: row.team };
  return `${formatAccessLogPrefix(nowMs)},"msg":"background_response","request_id":"${row.id}"${describeKey(
    key,
  )},"surface":"${row.surface}","route_mode":"${row.route_mode}","model_requested":${quoteJson(
    row.model_requested?.slice(0, MAX_NAME_CHARS),
  )},"model":${quoteJson(row.model)},"response_status":${quoteJson(
    responseStatus,
  )},"input_tokens":${row.input_tokens},"output_tokens":${row.output_tokens},"cost_usd":${formatUsd(
    row.cost_nano_usd,
  )},"duration_ms":${Math.max(0, nowMs - row.created_at)}}\n`;
}

function formatUsd(nanoUsd: number | null): string {
  return nanoUsd === null ? 'null' : JSON.stringify(nanoUsd / 1e9);
}

/** Caches the JSON fields about each key. They never change, because keys are immutable. */
const callerTexts = new WeakMap<LoggedKey, string>();

function formatCaller(key: LoggedKey | null): string {
  if (key === null) return UNKNOWN_CALLER;
  let text = callerTexts.get(key);
  if (text === undefined) {
    text = describeKey(key);
    callerTexts.set(key, text);
  }
  return text;
}

function describeKey({ orgId, id, name, team }: LoggedKey): string {
  return `,"org":${quoteJson(orgId)},"key_id":${quoteJson(id)},"key_name":${quoteJson(name)},"team":${quoteJson(team)}`;
}

const UNKNOWN_CALLER = ',"org":null,"key_id":null,"key_name":null,"team":null';

/**
 * Caches the JSON fields about the last model and credential of each provider, because most requests use the
 * same ones.
 */
const targetTexts = new WeakMap<
  LoggedTarget['provider'],
  { model: string; credential: string; text: string }
>();

function formatTarget(target: LoggedTarget | null): string {
  if (target === null) return NO_TARGET;
  const {
    provider,
    model,
    credential: { name: credential },
  } = target;
  const last = targetTexts.get(provider);
  if (last !== undefined && last.model === model && last.credential === credential) return last.text;
  const text = `,"model":${quoteJson(model || null)},"target":${quoteJson(`${provider.id}/${model}@${credential}`)}`;
  targetTexts.set(provider, { model, credential, text });
  return text;
}

const NO_TARGET = ',"model":null,"target":null';
