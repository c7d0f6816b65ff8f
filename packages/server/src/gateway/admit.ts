import { Fault } from '@floe/contract/faults';
import { usdText } from '@floe/contract/usd-text';
import type { Caller as CountedCaller } from '../guardrails/counted-request.ts';
import type { Grant } from '../guardrails/grant.ts';
import { rateRefusalOf, refusalOf } from '../guardrails/guard.ts';
import { rateHeaders } from '../guardrails/rate-headers.ts';
import type { Rules } from '../guardrails/rules.ts';
import type { Course } from './catalog.ts';
import { ClientGone } from './client.ts';
import { endUserOf } from './end-user.ts';
import { estimateExchange } from './estimate-exchange.ts';
import { modelsOf } from './estimate-request.ts';
import type { Exchange } from './exchange-record.ts';
import type { RoutedRequest } from './operation.ts';

/**
 * Takes the limits and budgets of an exchange in one atomic step, and tells what comes first: 429, then what
 * is wrong with the request (400, 404, 403), then 402. `parse` reads and routes it; a request that it refuses still
 * spends its RPM.
 */
export function admit(x: Exchange, parse: () => Promise<RoutedRequest>): Promise<RoutedRequest> {
  const { rules } = x.caller.catalog;
  return rules === null ? parse() : admitBy(x, rules, parse);
}

async function admitBy(
  x: Exchange,
  rules: Rules,
  parse: () => Promise<RoutedRequest>,
): Promise<RoutedRequest> {
  const { guard, clock } = x.gateway;
  const request = await parsedOrRefused(parse);
  const course = request instanceof Fault ? null : request.course;
  const counted = callerOf(x, rules, course);
  const estimate = course && estimateExchange(x, course);
  const taking = guard.take(x.id, rules, counted, estimate);
  const grant = taking instanceof Promise ? await taking : taking;
  x.admission = { grant, headers: rateHeaders(grant, x.surface.dialect === 'messages', clock.now()) };
  const rateRefusal = rateRefusalOf(grant);
  if (rateRefusal) throw rateRefusal;
  if (request instanceof Fault) throw request;
  const refusal = grant.fault ?? refusalOf(grant);
  if (refusal) throw refusal;
  const reserved = guard.reserve(grant);
  if (reserved) await reserved;
  explain(x, grant);
  return request;
}

/** The request, or the fault that refuses it. A client that has left gets no answer, and a defect stays a defect. */
async function parsedOrRefused(parse: () => Promise<RoutedRequest>): Promise<RoutedRequest | Fault> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof ClientGone || !(error instanceof Fault)) throw error;
    return error;
  }
}

/** Who an exchange is counted for, as rules judge it. */
export function callerOf(x: Exchange, rules: Rules, course: Course | null): CountedCaller {
  return {
    key: x.caller.key,
    endUser: endUserOf(x),
    models: rules.byModel ? modelsOf(x.request.ask, course) : [],
    metadata: x.controls?.metadata ?? null,
  };
}

/** One line for all of them, without a character that JSON escapes: every row carries it. */
function explain(x: Exchange, { claims, taken }: Grant): void {
  if (claims.length === 0) return;
  let because = taken.away ? 'counted by this process alone' : '';
  let told = '';
  for (let index = 0; index < claims.length; index++) {
    const claim = claims[index];
    if (claim === undefined) continue;
    const { name, counts, limit } = claim;
    const used = taken.levels[index]?.used ?? 0;
    if (name === told) because += ', ';
    else because += because === '' ? `${name}: ` : `; ${name}: `;
    because +=
      counts === 'usd' ? `$${usdText(used)} of $${usdText(limit)}` : `${used} of ${limit} ${UNITS[counts]}`;
    told = name;
  }
  x.decisions.push({ step: 'limit', outcome: 'granted', because });
}

const UNITS = { requests: 'requests', tokens: 'tokens', concurrency: 'at once' } as const;
