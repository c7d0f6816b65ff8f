import { classifyExchangeOutcome } from '@floe/contract/exchange-outcome';
import { formatAccessLogPrefix, quoteJson } from '../core/access-log.ts';
import type { ExchangeResult, StartedExchange } from './exchange-record.ts';
import type { UsageAndCost } from './usage-and-cost.ts';

/** Maximum length of names that clients choose, such as a model that does not exist. */
const MAX_NAME_CHARS = 200;

/** The values that the access log records about a finished exchange. */
export interface LoggedExchange {
  readonly usageAndCost: UsageAndCost;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
}

/** Returns whether the access log always contains this exchange, regardless of sampling. */
export function isAlwaysLogged({ state, status }: ExchangeResult): boolean {
  return status >= 400 || (state !== 'complete' && state !== 'cached');
}

/**
 * Formats the access log line for an exchange. The line contains no request or response content.
 * Writes JSON directly, because the fields are fixed and few need escapes.
 */
export function formatExchangeLine(x: StartedExchange, figures: LoggedExchange): string {
  const { surface, target, result, caller, client } = x;
  const { usageAndCost, latencyMs, firstTokenMs } = figures;
  const asked = x.request.prompt ?? x.request.opaque;
  const key = caller === null ? null : caller.key;
  const units = usageAndCost.usage?.units;
  const model = asked?.model ?? result.fault?.detail.model ?? null;
  return `${formatAccessLogPrefix(x.gateway.clock.now())},"msg":"exchange","request_id":"${x.id}","org":${quoteJson(
    key?.orgId,
  )},"key_id":${quoteJson(key?.id)},"key_name":${quoteJson(key?.name)},"team":${quoteJson(
    key?.team,
  )},"surface":"${surface.name}","route_mode":"${surface.routeMode}","model_requested":${quoteJson(
    model?.slice(0, MAX_NAME_CHARS),
  )},"model":${quoteJson(target?.model || null)},"target":${formatTarget(x)},"stream":${
    asked?.stream === true
  },"status":${result.status},"outcome":"${classifyExchangeOutcome(result.state, result.status)}","error_code":${quoteJson(
    result.fault?.code,
  )},"input_tokens":${units?.input ?? null},"output_tokens":${units?.output ?? null},"cost_usd":${formatUsd(
    usageAndCost.nanoUsd,
  )},"cache":${quoteJson(x.cache)},"attempts":${x.attempts.length},"client_disconnected":${
    client.isDisconnected
  },"duration_ms":${round(latencyMs)},"first_token_ms":${firstTokenMs === null ? null : round(firstTokenMs)}}\n`;
}

function formatTarget({ target }: StartedExchange): string {
  if (target === null) return 'null';
  const { provider, model, credential } = target;
  return quoteJson(`${provider.id}/${model}@${credential.name}`);
}

function formatUsd(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : nanoUsd / 1e9;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
