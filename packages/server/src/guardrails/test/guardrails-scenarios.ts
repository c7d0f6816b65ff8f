// Random orgs with random limits and budgets, and random traffic.
import fc from 'fast-check';

export const SCENARIO_KEYS = ['k0', 'k1'] as const;
export type ModelSubject =
  | { readonly scope: 'org' }
  | { readonly scope: 'key'; readonly key: string }
  | { readonly per: 'key' };

export interface LimitModel {
  readonly subject: ModelSubject;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
  readonly concurrency: number | undefined;
}

export interface BudgetModel {
  readonly subject: ModelSubject;
  readonly period: 'day' | 'total';
  readonly limitNanoUsd: number;
}

export interface OrgModel {
  readonly limits: readonly LimitModel[];
  readonly budgets: readonly BudgetModel[];
}

export interface UsageAmounts {
  readonly tokens: number;
  readonly nano: number;
}

export type ScenarioStep =
  | ({
      readonly kind: 'take';
      readonly org: number;
      readonly key: number;
      readonly replica: number;
    } & UsageAmounts)
  | ({ readonly kind: 'settle'; readonly which: number } & UsageAmounts)
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'flush' };

export interface Scenario {
  readonly orgs: readonly OrgModel[];
  readonly steps: readonly ScenarioStep[];
}

const subject: fc.Arbitrary<ModelSubject> = fc.oneof(
  fc.constant({ scope: 'org' } as const),
  fc.constantFrom(...SCENARIO_KEYS).map((key) => ({ scope: 'key', key }) as const),
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
const step: fc.Arbitrary<ScenarioStep> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      org: fc.nat(2),
      key: fc.nat(SCENARIO_KEYS.length - 1),
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

/** Generates scenarios. Most have one organization, as a default installation does. */
export function arbitraryScenario({
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
        { weight: 1, arbitrary: fc.constant<ScenarioStep>({ kind: 'flush' }) },
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
