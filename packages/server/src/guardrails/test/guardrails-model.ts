// A plain model of limits and budgets, and one run of a fleet against it.
import assert from 'node:assert/strict';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/limits-cache-policies';
import type { KeyRecord } from '../../platform/keyring.ts';
import {
  type CompiledLimitsAndBudgets,
  compileLimitsAndBudgets,
  toConfiguredLimitOrBudget,
} from '../compile-limits-and-budgets.ts';
import type { Grant } from '../grant.ts';
import type { LimitAndBudgetEnforcer } from '../limit-and-budget-enforcer.ts';
import {
  type BudgetModel,
  type LimitModel,
  type ModelSubject,
  type OrgModel,
  SCENARIO_KEYS,
  type Scenario,
  type UsageAmounts,
} from './guardrails-scenarios.ts';

/** A slot of a second counts until no part of it is within the last minute. */
const WINDOW_SLOTS = 61;
const DAY_MS = 86_400_000;

/** The system that is compared with the model. */
export interface GuardFleet {
  /** One for each process. */
  readonly guards: readonly LimitAndBudgetEnforcer[];
  /** Milliseconds of the wall clock, by which periods of budgets are told apart. */
  now(): number;
  advance(ms: number): Promise<void>;
  /** Empties the shared store. */
  flush(): Promise<void>;
  /** Resolves when the guard has answered, moving time on where it waits for a store that does not answer. */
  answered(grant: Grant | Promise<Grant>): Promise<Grant>;
  /** Name of an org; different in every run. */
  org(number: number): string;
}

/** A request in the form that the model evaluates. */
export interface ModelRequest {
  readonly org: number;
  readonly key: string;
  readonly replica: number;
  /** The store's second. */
  readonly second: number;
  readonly day: number;
  readonly estimate: UsageAmounts;
}

/** A request that was granted, or that was rejected but counts as a request. */
export interface CountedRequest extends ModelRequest {
  /** Null while it is in flight. */
  actual: UsageAmounts | null;
  /** Refused by a budget: its request counts and nothing else. */
  readonly isRefused: boolean;
  /** The store forgot it: of windows and reservations nothing is left, of money what was settled. */
  isForgotten: boolean;
}

export interface GrantedRequest extends CountedRequest {
  readonly grant: Grant;
}

/**
 * A simple model of limits and budgets. It computes each result from all earlier requests. It is
 * slow, but simple enough to be obviously correct.
 */
export class GuardrailsModel {
  readonly #orgs: readonly OrgModel[];
  readonly #entries: readonly CountedRequest[];

  constructor(orgs: readonly OrgModel[], entries: readonly CountedRequest[]) {
    this.#orgs = orgs;
    this.#entries = entries;
  }

  /** What a take has to answer: granted, refused by a rate, or by a budget. `entries` is looked at as it is now. */
  expectedResult({ org, key, second, day, estimate: { tokens, nano } }: ModelRequest): GrantResult {
    const { limits, budgets } = this.#orgs[org] ?? assert.fail();
    const isFull = limits.some((rule) => {
      if (!reaches(rule.subject, key)) return false;
      const { requests, used, inFlight } = this.#usageOf(org, rule, key, second);
      if (rule.rpm !== undefined && requests + 1 > rule.rpm) return true;
      if (rule.tpm !== undefined && used + Math.min(tokens, rule.tpm) > rule.tpm) return true;
      return rule.concurrency !== undefined && inFlight + 1 > rule.concurrency;
    });
    if (isFull) return 'rate';
    const isSpent = budgets.some(
      (rule) => reaches(rule.subject, key) && this.#spent(org, rule, key, day) + nano > rule.limitNanoUsd,
    );
    return isSpent ? 'budget' : 'granted';
  }

  #usageOf(org: number, rule: LimitModel, key: string, second: number) {
    const counted = this.#entries.filter(
      (entry) => entry.org === org && shares(rule.subject, entry.key, key),
    );
    const window = counted.filter((entry) => entry.second > second - WINDOW_SLOTS && !entry.isForgotten);
    let used = 0;
    for (const { actual, estimate, isRefused } of window)
      if (!isRefused) used += actual ? actual.tokens : Math.min(estimate.tokens, rule.tpm ?? 0);
    const inFlight = counted.filter(({ actual, isRefused }) => actual === null && !isRefused);
    return { requests: window.length, used, inFlight: inFlight.length };
  }

  #spent(org: number, rule: BudgetModel, key: string, day: number): number {
    let sum = 0;
    for (const entry of this.#entries) {
      if (entry.org !== org || entry.isRefused || !shares(rule.subject, entry.key, key)) continue;
      if (rule.period === 'day' && entry.day !== day) continue;
      sum += entry.actual ? entry.actual.nano : entry.isForgotten ? 0 : entry.estimate.nano;
    }
    return sum;
  }
}

export type GrantResult = 'granted' | 'rate' | 'budget';

function reaches(rule: ModelSubject, key: string): boolean {
  return !('scope' in rule) || rule.scope === 'org' || rule.key === key;
}

/** Whether requests of two keys fall in one bucket of a rule that reaches the second. */
function shares(rule: ModelSubject, one: string, other: string): boolean {
  return 'scope' in rule ? reaches(rule, one) : one === other;
}

/** Checks whether a result is correct, given everything that was granted before. */
export type ResultCheck = (take: ModelRequest, verdict: GrantResult) => void;

/** Returns a check that requires every result to equal the model's result. */
export function expectExactResult({ orgs }: Scenario, entries: readonly GrantedRequest[]): ResultCheck {
  const model = new GuardrailsModel(orgs, entries);
  return (take, verdict) => assert.equal(verdict, model.expectedResult(take));
}

/**
 * Returns a check for several processes without a shared store. Each process must stay within its
 * share of a limit, and must be able to use all of it. Together, the processes must never admit
 * more than the limit. A limit that cannot be divided evenly may assign the remaining units to any
 * process.
 */
export function expectShareResult(
  { orgs }: Scenario,
  entries: readonly GrantedRequest[],
  replicas: number,
): ResultCheck {
  const fleet = new GuardrailsModel(orgs, entries);
  const divided = (round: (share: number) => number) =>
    orgs.map((org) => ({
      ...org,
      limits: org.limits.map((rule) => ({
        ...rule,
        rpm: rule.rpm && round(rule.rpm / replicas),
        concurrency: rule.concurrency && round(rule.concurrency / replicas),
      })),
    }));
  return (take, verdict) => {
    const own = entries.filter(({ replica }) => replica === take.replica);
    if (verdict === 'granted') {
      assert.equal(fleet.expectedResult(take), 'granted', 'more than the limit');
      assert.equal(
        new GuardrailsModel(divided(Math.ceil), own).expectedResult(take),
        'granted',
        'more than the share',
      );
    } else
      assert.notEqual(
        new GuardrailsModel(divided(Math.floor), own).expectedResult(take),
        'granted',
        'less than the share',
      );
  };
}

export interface ScenarioResult {
  readonly refusals: number;
  /** What budgets of all orgs paid in the end, each by itself. */
  readonly paidNanoUsd: number;
}

/** Runs a scenario and checks every result. */
export async function runScenario(
  scenario: Scenario,
  fleet: GuardFleet,
  judgeOf: (entries: readonly GrantedRequest[]) => ResultCheck,
): Promise<ScenarioResult> {
  const entries: GrantedRequest[] = [];
  const judge = judgeOf(entries);
  const rules = scenario.orgs.map(compileModelRules);
  let refusals = 0;
  const settle = (entry: GrantedRequest, actual: UsageAmounts) => {
    fleet.guards[entry.replica]?.settle(entry.grant, actual.tokens, actual.nano);
    entry.actual = actual;
  };
  const inFlight = () => entries.filter(({ actual, isRefused }) => actual === null && !isRefused);
  for (const [at, step] of scenario.steps.entries())
    if (step.kind === 'wait') await fleet.advance(step.ms);
    else if (step.kind === 'flush') {
      await fleet.flush();
      for (const entry of entries) entry.isForgotten = true;
    } else if (step.kind === 'settle') {
      const open = inFlight();
      const entry = open[step.which % Math.max(1, open.length)];
      if (entry) settle(entry, { tokens: step.tokens, nano: step.nano });
    } else {
      const org = step.org % scenario.orgs.length;
      const key = SCENARIO_KEYS[step.key] ?? assert.fail();
      const replica = step.replica % fleet.guards.length;
      const estimate = { tokens: step.tokens, nano: step.nano };
      const day = Math.floor(fleet.now() / DAY_MS);
      const caller = { key: createKeyRecord(fleet.org(org), key), endUser: null, models: [], metadata: null };
      const asked = { tokens: step.tokens, nanoUsd: step.nano, unpriced: null };
      const guard = fleet.guards[replica] ?? assert.fail();
      const id = `exc_${at}_${fleet.org(org)}`;
      const grant = await fleet.answered(guard.acquire(id, rules[org] ?? assert.fail(), caller, asked));
      const take = { org, key, replica, second: grant.taken.second, day, estimate };
      const verdict = grantResultOf(grant);
      judge(take, verdict);
      if (verdict !== 'granted') refusals += 1;
      if (verdict === 'rate') continue;
      entries.push({ ...take, grant, actual: null, isRefused: verdict === 'budget', isForgotten: false });
    }
  for (const entry of inFlight()) settle(entry, { tokens: 0, nano: 0 });
  let paidNanoUsd = 0;
  for (const { org, key, actual } of entries)
    for (const rule of scenario.orgs[org]?.budgets ?? [])
      if (reaches(rule.subject, key)) paidNanoUsd += actual?.nano ?? 0;
  return { refusals, paidNanoUsd };
}

function grantResultOf({ taken, claims }: Grant): GrantResult {
  if (taken.refusedIndex === null) return 'granted';
  return claims[taken.refusedIndex]?.kind === 'spend' ? 'budget' : 'rate';
}

export function compileModelRules({ limits, budgets }: OrgModel): CompiledLimitsAndBudgets {
  const limitRules = limits.map(
    ({ subject, rpm, tpm, concurrency }, index): LimitConfig =>
      LimitSchema.parse({ name: `limit-${index}`, ...subject, ...defined({ rpm, tpm, concurrency }) }),
  );
  const budgetRules = budgets.map(
    ({ subject, period, limitNanoUsd }, index): BudgetConfig =>
      BudgetSchema.parse({ name: `budget-${index}`, ...subject, period, limit_usd: limitNanoUsd / 1e9 }),
  );
  return (
    compileLimitsAndBudgets(
      limitRules.map(toConfiguredLimitOrBudget),
      budgetRules.map(toConfiguredLimitOrBudget),
      'UTC',
    ) ?? assert.fail('some rule')
  );
}

function defined(members: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}

export function createKeyRecord(orgId: string, name: string): KeyRecord {
  return {
    id: name,
    orgId,
    name,
    scopes: new Set(['gateway']),
    models: null,
    team: null,
    owner: null,
    expiresAt: null,
    revokedAt: null,
    hash: '',
    prefix: '',
    last4: '',
  };
}
