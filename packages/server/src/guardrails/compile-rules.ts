import { createHash } from 'node:crypto';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { compilePatterns } from '../core/pattern.ts';
import { type BudgetPeriod, createPeriodResolver } from './budget-period.ts';
import type { GuardrailRule, LimitSettings, RuleSource } from './guardrail-rule.ts';
import { LimitBuckets } from './limit-buckets.ts';

export interface LimitRule extends LimitSettings {
  /** What requests of one caller after the other take of it: made once for each bucket, not for each request. */
  readonly buckets: LimitBuckets;
}

export interface BudgetRule extends GuardrailRule {
  readonly config: BudgetConfig;
  readonly limitNanoUsd: number;
  /** Metadata values it wants. */
  readonly metadata: readonly (readonly [name: string, value: string])[];
  periodAt(atMs: number): BudgetPeriod;
}

/** The limits and budgets of an org, compiled with its catalog. Null stands for an org without any. */
export interface OrgRules {
  readonly limits: readonly LimitRule[];
  readonly budgets: readonly BudgetRule[];
  /** Some rule is for certain models only. */
  readonly hasModelRules: boolean;
}

/** A limit or a budget with the id that the API knows it by. */
export interface DeclaredRule<Config> {
  readonly id: string;
  readonly source: RuleSource;
  readonly config: Config;
}

const NANO_USD = 1_000_000_000;

export function compileRules(
  limits: readonly DeclaredRule<LimitConfig>[],
  budgets: readonly DeclaredRule<BudgetConfig>[],
  timezone: string,
): OrgRules | null {
  if (limits.length === 0 && budgets.length === 0) return null;
  const rules = {
    limits: limits.map(compileLimit),
    budgets: budgets.map((budget) => compileBudget(budget, timezone)),
  };
  return {
    ...rules,
    hasModelRules: [...rules.limits, ...rules.budgets].some(({ models }) => models !== null),
  };
}

export function compileLimit({ id, source, config }: DeclaredRule<LimitConfig>): LimitRule {
  const rule = { ...compileRule(id, source, config), name: config.name ?? describeLimit(config), config };
  return { ...rule, buckets: new LimitBuckets(rule) };
}

export function compileBudget(
  { id, source, config }: DeclaredRule<BudgetConfig>,
  timezone: string,
): BudgetRule {
  return {
    ...compileRule(id, source, config),
    name: config.name,
    config,
    limitNanoUsd: Math.round(config.limit_usd * NANO_USD),
    metadata: Object.entries(config.metadata),
    periodAt: createPeriodResolver(config.period, timezone),
  };
}

/** A rule of floe.yaml. */
export function declareFileRule<Config extends LimitConfig | BudgetConfig>(
  config: Config,
): DeclaredRule<Config> {
  return { id: fileRuleId(config), source: 'file', config };
}

/** What the id of a rule of floe.yaml is made of. */
export type FileRuleConfig = Partial<
  Pick<LimitConfig, 'name' | 'scope' | 'per' | 'team' | 'key' | 'owner' | 'end_user' | 'model'>
>;

/** The id of a rule of floe.yaml: its name, else what it counts, so that a changed figure keeps its buckets. */
export function fileRuleId(config: FileRuleConfig): string {
  if (config.name !== undefined) return config.name;
  const { scope, per, team, key, owner, end_user, model } = config;
  const counted = JSON.stringify([scope, per, team, key, owner, end_user, model]);
  return `limit-${createHash('sha256').update(counted).digest('hex').slice(0, 12)}`;
}

function compileRule(
  id: string,
  source: RuleSource,
  config: LimitConfig | BudgetConfig,
): Omit<GuardrailRule, 'name'> {
  return {
    id,
    source,
    bucketFor: compileBucketResolver(config),
    models: config.model === undefined ? null : compilePatterns([config.model]),
    onStoreError: config.on_store_error,
  };
}

/** Who names no team, owner or end user shares one bucket with the others who do not: leaving it out is no way out. */
const UNSET_SUBJECT = '-';

function compileBucketResolver({
  scope,
  per,
  team,
  key,
  owner,
  end_user,
}: LimitConfig | BudgetConfig): GuardrailRule['bucketFor'] {
  switch (scope ?? per) {
    case 'team':
      if (per) return (record) => record.team ?? UNSET_SUBJECT;
      return (record) => (record.team === team ? record.team : null);
    case 'key':
      if (per) return (record) => record.id;
      return (record) => (record.name === key ? record.name : null);
    case 'owner':
      if (per) return (record) => record.owner ?? UNSET_SUBJECT;
      return (record) => (record.owner === owner ? record.owner : null);
    case 'end_user':
      if (per) return (_, endUser) => endUser ?? UNSET_SUBJECT;
      return (_, endUser) => (endUser === end_user ? endUser : null);
    default:
      return () => 'org';
  }
}

/** Whose bucket a rule with `scope` has; null for `per`, where there is one for each. */
export function scopedBucketSubject({
  scope,
  team,
  key,
  owner,
  end_user,
}: LimitConfig | BudgetConfig): string | null {
  if (scope === undefined) return null;
  return scope === 'org' ? 'org' : ({ team, key, owner, end_user }[scope] ?? null);
}

function describeLimit({ scope, per, team, key, owner, end_user, model }: LimitConfig): string {
  const whom = per ? `each ${per.replace('_', ' ')}` : (team ?? key ?? owner ?? end_user ?? scope ?? 'org');
  return model === undefined ? whom : `${whom} on ${model}`;
}

/** Whether a request's metadata has the values that a budget is for. */
export function matchesMetadata(rule: BudgetRule, metadata: JsonObject | null): boolean {
  return rule.metadata.every(([name, value]) => {
    const given = metadata?.[name];
    return given !== undefined && String(given) === value;
  });
}
