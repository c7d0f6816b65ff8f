import { toDecimalUsd } from '@floe/contract/decimal-usd';
import { Fault } from '@floe/contract/faults';
import type { CompiledLimitsAndBudgets } from '../guardrails/compile-limits-and-budgets.ts';
import type { Grant } from '../guardrails/grant.ts';
import { findRateLimitFault, findRejectionFault } from '../guardrails/limit-and-budget-enforcer.ts';
import { buildRateLimitHeaders } from '../guardrails/rate-limit-headers.ts';
import type { RequestAttributes as CountedCaller } from '../guardrails/request-attributes.ts';
import { ClientDisconnectedError } from './client-call.ts';
import { findEndUser } from './end-user.ts';
import { estimateMaxTokensAndCost } from './estimate-exchange.ts';
import { listRequestedModels } from './estimate-request.ts';
import type { Exchange } from './exchange-record.ts';
import type { RoutedRequest } from './operation.ts';
import type { ResolvedRoute } from './org-catalog.ts';

/**
 * Checks the limits and budgets of an exchange and makes its reservations in one atomic step. Errors have a
 * fixed precedence: 429, then request errors (400, 404, 403), then 402. `parse` reads and routes the request.
 * A request that `parse` rejects still counts as a request in rate limits.
 */
export function admitExchange(x: Exchange, parse: () => Promise<RoutedRequest>): Promise<RoutedRequest> {
  const { rules } = x.caller.catalog;
  return rules === null ? parse() : admitByRules(x, rules, parse);
}

async function admitByRules(
  x: Exchange,
  rules: CompiledLimitsAndBudgets,
  parse: () => Promise<RoutedRequest>,
): Promise<RoutedRequest> {
  const { guard, clock } = x.gateway;
  const request = await parsedOrRefused(parse);
  const route = request instanceof Fault ? null : request.route;
  const counted = buildRequestAttributes(x, rules, route);
  const estimate = route && estimateMaxTokensAndCost(x, route);
  const pendingGrant = guard.acquire(x.id, rules, counted, estimate);
  const grant = pendingGrant instanceof Promise ? await pendingGrant : pendingGrant;
  x.admission = {
    grant,
    headers: buildRateLimitHeaders(grant, x.surface.dialect === 'messages', clock.now()),
  };
  const rateRefusal = findRateLimitFault(grant);
  if (rateRefusal) throw rateRefusal;
  if (request instanceof Fault) throw request;
  const refusal = grant.fault ?? findRejectionFault(grant);
  if (refusal) throw refusal;
  const reserved = guard.persistReservation(grant);
  if (reserved) await reserved;
  recordGrantDecision(x, grant);
  return request;
}

/**
 * Returns the parsed request, or the fault that rejects it. Rethrows any other error: the client has
 * disconnected, or the error is a defect.
 */
async function parsedOrRefused(parse: () => Promise<RoutedRequest>): Promise<RoutedRequest | Fault> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof ClientDisconnectedError || !(error instanceof Fault)) throw error;
    return error;
  }
}

/** Returns the exchange attributes that limits and budgets use to select their counters. */
export function buildRequestAttributes(
  x: Exchange,
  rules: CompiledLimitsAndBudgets,
  route: ResolvedRoute | null,
): CountedCaller {
  return {
    key: x.caller.key,
    endUser: findEndUser(x),
    models: rules.hasModelRules ? listRequestedModels(x.request, route) : [],
    metadata: x.controls?.metadata ?? null,
  };
}

/**
 * Records the limits and budgets that were checked as one decision. Its text contains no characters that JSON
 * escapes, because every row stores it.
 */
function recordGrantDecision(x: Exchange, { claims, taken }: Grant): void {
  if (claims.length === 0) return;
  let reason = taken.countedLocally ? 'checked with the counters of this process only' : '';
  let told = '';
  for (let index = 0; index < claims.length; index++) {
    const claim = claims[index];
    if (claim === undefined) continue;
    const { name, unit, limit } = claim;
    const used = taken.levels[index]?.used ?? 0;
    if (name === told) reason += ', ';
    else reason += reason === '' ? `${name}: ` : `; ${name}: `;
    reason +=
      unit === 'usd'
        ? `$${toDecimalUsd(used)} of $${toDecimalUsd(limit)}`
        : `${used} of ${limit} ${UNITS[unit]}`;
    told = name;
  }
  x.decisions.push({ step: 'limit', outcome: 'granted', reason });
}

const UNITS = { requests: 'requests', tokens: 'tokens', concurrency: 'concurrent requests' } as const;
