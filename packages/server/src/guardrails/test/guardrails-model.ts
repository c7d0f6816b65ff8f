// A plain model of limits and budgets, random orgs with random rules, and one run of both against each other.
import assert from 'node:assert/strict';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/guardrails';
import fc from 'fast-check';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Grant, Guard } from '../guard.ts';
import { compileRules, fromFile, type Rules } from '../rules.ts';

const KEYS = ['k0', 'k1'] as const;
/** A slot of a second counts until no part of it is within the last minute. */
const SLOTS = 61;
const DAY_MS = 86_400_000;

type Subject =
  | { readonly scope: 'org' }
  | { readonly scope: 'key'; readonly key: string }
  | { readonly per: 'key' };

export interface LimitModel {
  readonly subject: Subject;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
  readonly concurrency: number | undefined;
}

export interface BudgetModel {
  readonly subject: Subject;
  readonly period: 'day' | 'total';
  readonly limitNanoUsd: number;
}

export interface OrgModel {
  readonly limits: readonly LimitModel[];
  readonly budgets: readonly BudgetModel[];
}

interface Amounts {
  readonly tokens: number;
  readonly nano: number;
}

export type Step =
  | ({
      readonly kind: 'take';
      readonly org: number;
      readonly key: number;
      readonly replica: number;
    } & Amounts)
  | ({ readonly kind: 'settle'; readonly which: number } & Amounts)
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'flush' };

export interface Scenario {
  readonly orgs: readonly OrgModel[];
  readonly steps: readonly Step[];
}

const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.constant({ scope: 'org' } as const),
  fc.constantFrom(...KEYS).map((key) => ({ scope: 'key', key }) as const),
  fc.constant({ per: 'key' } as const),
);

const limit: fc.Arbitrary<LimitModel> = fc
  .record({
    subject,
    rpm: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    tpm: fc.option(fc.integer({ min: 50, max: 500 }), { nil: undefined }),
    concurrency: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  })
  .filter(({ rpm, tpm, concurrency }) => (rpm ?? tpm ?? concurrency) !== undefined);

const limitOfRequests = limit
  .map((rule) => ({ ...rule, tpm: undefined }))
  .filter(({ rpm, concurrency }) => (rpm ?? concurrency) !== undefined);

const budget: fc.Arbitrary<BudgetModel> = fc.record({
  subject,
  period: fc.constantFrom('day', 'total'),
  limitNanoUsd: fc.integer({ min: 100, max: 20_000 }),
});

/** Traffic in bursts, pauses of seconds, and idle times in which every bucket becomes empty. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      org: fc.nat(2),
      key: fc.nat(KEYS.length - 1),
      replica: fc.nat(11),
      tokens: fc.integer({ min: 1, max: 200 }),
      nano: fc.integer({ min: 1, max: 3_000 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(20),
      tokens: fc.nat(300),
      nano: fc.nat(4_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof(
        fc.nat(3_000),
        fc.integer({ min: 20_000, max: 70_000 }),
        fc.integer({ min: 70_000, max: 3_600_000 }),
      ),
    }),
  },
);

/** One org most of the time, as in a default installation. */
export function scenarios({
  budgets = 2,
  tokens = true,
  flushes = false,
  steps = 80,
} = {}): fc.Arbitrary<Scenario> {
  const org = fc.record({
    limits: fc.array(tokens ? limit : limitOfRequests, { minLength: 1, maxLength: 3 }),
    budgets: fc.array(budget, { maxLength: budgets }),
  });
  const all = flushes
    ? fc.oneof(
        { weight: 18, arbitrary: step },
        { weight: 1, arbitrary: fc.constant<Step>({ kind: 'flush' }) },
      )
    : step;
  return fc.record({
    orgs: fc.oneof(
      { weight: 2, arbitrary: fc.array(org, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(org, { minLength: 2, maxLength: 3 }) },
    ),
    steps: fc.array(all, { minLength: 20, maxLength: steps, size: 'max' }),
  });
}

/** What runs against the model. */
export interface Fleet {
  /** One for each process. */
  readonly guards: readonly Guard[];
  /** Milliseconds of the wall clock, by which periods of budgets are told apart. */
  now(): number;
  advance(ms: number): Promise<void>;
  /** Empties the shared store. */
  flush(): Promise<void>;
  /** Resolves when the guard has answered, moving time on where it waits for a store that does not answer. */
  answered(taking: Grant | Promise<Grant>): Promise<Grant>;
  /** Name of an org; different in every run. */
  org(number: number): string;
}

/** A request, as a model judges it. */
export interface Take {
  readonly org: number;
  readonly key: string;
  readonly replica: number;
  /** The store's second. */
  readonly second: number;
  readonly day: number;
  readonly estimate: Amounts;
}

export interface Entry extends Take {
  readonly grant: Grant;
  /** Null while it is in flight. */
  actual: Amounts | null;
  /** Refused by a budget: its request counts and nothing else. */
  readonly isRefused: boolean;
  /** The store forgot it: of windows and reservations nothing is left, of money what was settled. */
  isForgotten: boolean;
}

/** Everything that ever came in, looked at anew each time: slow, and too simple to be wrong. */
export class Model {
  readonly #orgs: readonly OrgModel[];
  readonly #entries: readonly Entry[];

  constructor(orgs: readonly OrgModel[], entries: readonly Entry[]) {
    this.#orgs = orgs;
    this.#entries = entries;
  }

  /** What a take has to answer: granted, refused by a rate, or by a budget. `entries` is looked at as it is now. */
  verdict({ org, key, second, day, estimate: { tokens, nano } }: Take): Verdict {
    const { limits, budgets } = this.#orgs[org] ?? assert.fail();
    const isFull = limits.some((rule) => {
      if (!reaches(rule.subject, key)) return false;
      const { requests, used, inFlight } = this.#standing(org, rule, key, second);
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

  #standing(org: number, rule: LimitModel, key: string, second: number) {
    const counted = this.#entries.filter(
      (entry) => entry.org === org && shares(rule.subject, entry.key, key),
    );
    const window = counted.filter((entry) => entry.second > second - SLOTS && !entry.isForgotten);
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

export type Verdict = 'granted' | 'rate' | 'budget';

function reaches(rule: Subject, key: string): boolean {
  return !('scope' in rule) || rule.scope === 'org' || rule.key === key;
}

/** Whether requests of two keys fall in one bucket of a rule that reaches the second. */
function shares(rule: Subject, one: string, other: string): boolean {
  return 'scope' in rule ? reaches(rule, one) : one === other;
}

/** Says whether an answer is right, given all that was granted before. */
export type Judge = (take: Take, verdict: Verdict) => void;

/** Every answer has to be that of the model. */
export function exactly({ orgs }: Scenario, entries: readonly Entry[]): Judge {
  const model = new Model(orgs, entries);
  return (take, verdict) => assert.equal(verdict, model.verdict(take));
}

/**
 * Every process has to stay within its share, whichever units of a limit that cannot be divided it has, and must use
 * it; together they never admit more than the limit.
 */
export function byShare({ orgs }: Scenario, entries: readonly Entry[], replicas: number): Judge {
  const fleet = new Model(orgs, entries);
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
      assert.equal(fleet.verdict(take), 'granted', 'more than the limit');
      assert.equal(new Model(divided(Math.ceil), own).verdict(take), 'granted', 'more than the share');
    } else
      assert.notEqual(new Model(divided(Math.floor), own).verdict(take), 'granted', 'less than the share');
  };
}

export interface Played {
  readonly refusals: number;
  /** What budgets of all orgs paid in the end, each by itself. */
  readonly paidNanoUsd: number;
}

/** Plays a scenario; every answer is judged. */
export async function play(
  scenario: Scenario,
  fleet: Fleet,
  judgeOf: (entries: readonly Entry[]) => Judge,
): Promise<Played> {
  const entries: Entry[] = [];
  const judge = judgeOf(entries);
  const rules = scenario.orgs.map(rulesOf);
  let refusals = 0;
  const settle = (entry: Entry, actual: Amounts) => {
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
      const key = KEYS[step.key] ?? assert.fail();
      const replica = step.replica % fleet.guards.length;
      const estimate = { tokens: step.tokens, nano: step.nano };
      const day = Math.floor(fleet.now() / DAY_MS);
      const caller = { key: keyRecord(fleet.org(org), key), endUser: null, models: [], metadata: null };
      const asked = { tokens: step.tokens, nanoUsd: step.nano, unpriced: null };
      const guard = fleet.guards[replica] ?? assert.fail();
      const id = `exc_${at}_${fleet.org(org)}`;
      const grant = await fleet.answered(guard.take(id, rules[org] ?? assert.fail(), caller, asked));
      const take = { org, key, replica, second: grant.taken.second, day, estimate };
      const verdict = verdictOf(grant);
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

function verdictOf({ taken, claims }: Grant): Verdict {
  if (taken.refused === null) return 'granted';
  return claims[taken.refused]?.kind === 'spend' ? 'budget' : 'rate';
}

export function rulesOf({ limits, budgets }: OrgModel): Rules {
  const limitRules = limits.map(
    ({ subject, rpm, tpm, concurrency }, index): LimitConfig =>
      LimitSchema.parse({ name: `limit-${index}`, ...subject, ...defined({ rpm, tpm, concurrency }) }),
  );
  const budgetRules = budgets.map(
    ({ subject, period, limitNanoUsd }, index): BudgetConfig =>
      BudgetSchema.parse({ name: `budget-${index}`, ...subject, period, limit_usd: limitNanoUsd / 1e9 }),
  );
  return compileRules(limitRules.map(fromFile), budgetRules.map(fromFile), 'UTC') ?? assert.fail('some rule');
}

function defined(members: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}

export function keyRecord(orgId: string, name: string): KeyRecord {
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
