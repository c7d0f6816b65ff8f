import { Fault } from '@floe/contract/faults';
import { readNumber } from '@floe/wire/splice';
import { DEFAULT_OUTPUT_TOKENS, inputTokensAtMost } from '../guardrails/estimate.ts';
import { type Estimate, type Grant, rateRefusalOf, refusalOf } from '../guardrails/guard.ts';
import { rateHeaders } from '../guardrails/rate-headers.ts';
import type { Rules } from '../guardrails/rules.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import { worstNanoUsd } from '../providers/prices.ts';
import type { Ask } from './ask.ts';
import type { Course, Target } from './catalog.ts';
import { ClientGone } from './client.ts';
import { endUserOf } from './end-user.ts';
import type { Exchange } from './exchange-record.ts';
import type { Gateway } from './gateway.ts';

/**
 * Takes the limits and budgets of an exchange in one atomic step, and tells what comes first: 429, then what
 * is wrong with the request (400, 404, 403), then 402. `understand` reads and routes it; a request that it
 * refuses still spends its RPM.
 */
export async function admit(
  x: Exchange,
  key: KeyRecord,
  rules: Rules,
  understand: () => Promise<Course>,
): Promise<Course> {
  const { guard, clock } = x.gateway;
  let course: Course | null = null;
  let refusal: Fault | null = null;
  try {
    course = await understand();
  } catch (error) {
    // Who left cannot be told anything; a bug is told as one.
    if (error instanceof ClientGone || !(error instanceof Fault)) throw error;
    refusal = error;
  }
  const caller = {
    key,
    endUser: endUserOf(x),
    models: rules.byModel ? modelsOf(x.ask, course) : NO_MODELS,
    metadata: x.controls?.metadata ?? null,
  };
  const estimate = course && x.ask ? estimateOf(x.ask, course, x.createdAt, x.gateway) : null;
  const taking = guard.take(x.id, rules, caller, estimate);
  const grant = taking instanceof Promise ? await taking : taking;
  x.grant = grant;
  x.rateHeaders = rateHeaders(grant, x.surface.dialect === 'messages', clock.now());
  const fault = rateRefusalOf(grant) ?? refusal ?? grant.fault ?? refusalOf(grant);
  if (fault) throw fault;
  if (course === null) throw new Error('a request without a course has a fault');
  const reserved = guard.reserve(grant);
  if (reserved) await reserved;
  explain(x, grant);
  return course;
}

const NO_MODELS: readonly string[] = [];

/** Under an alias, the ids behind it count too: a limit on a model holds by whatever name it is asked. */
function modelsOf(ask: Ask | null, course: Course | null): readonly string[] {
  if (ask === null) return NO_MODELS;
  const targets = course?.targets ?? [];
  return [ask.model, ...targets.map(({ provider, model }) => `${provider.id}/${model}`)];
}

/** The dearest target counts, and the longest answer: which one will answer is not known yet. */
function estimateOf(ask: Ask, course: Course, atMs: number, { outputMost }: Gateway): Estimate {
  const input = inputTokensAtMost(ask.body);
  const cap = outputCapOf(ask);
  let most = 0;
  let nanoUsd: number | null = 0;
  let priceLine = '';
  for (const target of course.targets) {
    const { provider, model } = target;
    const output = (cap ?? outputMost(provider, model) ?? DEFAULT_OUTPUT_TOKENS) * ask.choices;
    most = Math.max(most, output);
    const price = provider.priceOf(model);
    if (price === null) {
      nanoUsd = null;
      priceLine ||= lineFor(target);
    } else if (nanoUsd !== null) nanoUsd = Math.max(nanoUsd, worstNanoUsd(price, input, output, atMs));
  }
  return { tokens: input + most, nanoUsd, priceLine };
}

function lineFor({ provider, model }: Target): string {
  return `Add to the provider "${provider.id}" in floe.yaml: prices: { ${JSON.stringify(model)}: { input: <USD per million tokens>, output: <USD per million tokens> } }, or billing: free.`;
}

const OUTPUT_CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

function outputCapOf({ body, members }: Ask): number | null {
  for (const name of OUTPUT_CAPS) {
    const span = members.get(name);
    const cap = span && readNumber(body, span);
    if (cap !== undefined && cap > 0) return Math.ceil(cap);
  }
  return null;
}

/** One line for all of them: every row carries it. */
function explain(x: Exchange, { claims, taken }: Grant): void {
  if (claims.length === 0) return;
  let because = taken.away ? 'counted by this process alone' : '';
  for (let index = 0; index < claims.length; index++) {
    const claim = claims[index];
    if (claim === undefined) continue;
    if (because !== '') because += '; ';
    because += `"${claim.name}" ${claim.counts} ${taken.levels[index]?.used ?? 0} of ${claim.limit}`;
  }
  x.decisions.push({ step: 'limit', outcome: 'granted', because });
}
