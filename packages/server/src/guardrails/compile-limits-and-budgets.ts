import { createHash } from 'node:crypto';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { compileModelPatterns } from '../core/model-pattern.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import { BudgetBuckets } from './budget-buckets.ts';
import { createBudgetPeriodResolver } from './budget-period.ts';
import { LimitBuckets } from './limit-buckets.ts';
import type {
  BudgetDefinition,
  LimitDefinition,
  LimitOrBudgetBase,
  LimitOrBudgetSource,
} from './limit-or-budget-base.ts';

/** A limit prepared for matching requests, with its counters. */
export interface CompiledLimit extends LimitDefinition {
  /** The buckets of this limit. They are created once per subject, not per request. */
  readonly buckets: LimitBuckets;
}

/** A budget prepared for matching requests. */
export interface CompiledBudget extends BudgetDefinition {
  /** The buckets of this budget. They are created once per subject and period, not per request. */
  readonly buckets: BudgetBuckets;
}

/** An organization's limits and budgets, prepared for matching requests. */
export interface CompiledLimitsAndBudgets {
  readonly limits: readonly CompiledLimit[];
  readonly budgets: readonly CompiledBudget[];
  /** Whether a limit or budget applies to certain models only. */
  readonly hasModelRules: boolean;
  /** The limits and budgets of the keys that have sent requests. */
  readonly byKey: WeakMap<KeyRecord, KeyLimitsAndBudgets>;
}

/** The limits and budgets that can apply to requests with one key. */
export type KeyLimitsAndBudgets = Pick<CompiledLimitsAndBudgets, 'limits' | 'budgets'>;

/** A configured limit or budget, with its API id. */
export interface ConfiguredLimitOrBudget<Config> {
  readonly id: string;
  readonly source: LimitOrBudgetSource;
  readonly config: Config;
}

const NANO_USD = 1_000_000_000;
/** Maximum number of buckets in memory per limit or budget. The number of end users is unbounded. */
const MAX_BUCKETS = 4_096;
/** Maximum number of buckets in memory for all limits and budgets of an organization. A bucket needs up to 1 KB. */
const MAX_ORG_BUCKETS = 65_536;

/**
 * Prepares an organization's limits and budgets for matching requests. Returns null if it has none.
 */
export function compileLimitsAndBudgets(
  limits: readonly ConfiguredLimitOrBudget<LimitConfig>[],
  budgets: readonly ConfiguredLimitOrBudget<BudgetConfig>[],
  timezone: string,
): CompiledLimitsAndBudgets | null {
  if (limits.length === 0 && budgets.length === 0) return null;
  const maxBuckets = Math.min(MAX_BUCKETS, Math.ceil(MAX_ORG_BUCKETS / (limits.length + budgets.length)));
  const rules = {
    limits: limits.map((limit) => compileLimit(limit, maxBuckets)),
    budgets: budgets.map((budget) => compileBudget(budget, timezone, maxBuckets)),
  };
  return {
    ...rules,
    hasModelRules: [...rules.limits, ...rules.budgets].some(({ models }) => models !== null),
    byKey: new WeakMap(),
  };
}

/** Compiles a limit so that requests can be matched against it. */
export function compileLimit(
  { id, source, config }: ConfiguredLimitOrBudget<LimitConfig>,
  maxBuckets = MAX_BUCKETS,
): CompiledLimit {
  const rule = { ...compileRule(id, source, config), name: config.name ?? describeLimit(config), config };
  return { ...rule, buckets: new LimitBuckets(rule, maxBuckets) };
}

/** Compiles a budget so that requests can be matched against it. `timezone` determines when its periods start. */
export function compileBudget(
  { id, source, config }: ConfiguredLimitOrBudget<BudgetConfig>,
  timezone: string,
  maxBuckets = MAX_BUCKETS,
): CompiledBudget {
  const rule = {
    ...compileRule(id, source, config),
    name: config.name,
    config,
    limitNanoUsd: Math.round(config.limit_usd * NANO_USD),
    metadata: Object.entries(config.metadata),
    periodAt: createBudgetPeriodResolver(config.period, timezone),
    dayAt: createBudgetPeriodResolver('day', timezone),
  };
  return { ...rule, buckets: new BudgetBuckets(rule, maxBuckets) };
}

/** Adds the id and the source `file` to a limit or budget from floe.yaml. */
export function toConfiguredLimitOrBudget<Config extends LimitConfig | BudgetConfig>(
  config: Config,
): ConfiguredLimitOrBudget<Config> {
  return { id: computeConfigFileRuleId(config), source: 'file', config };
}

/** The fields that determine the id of a limit, budget or relay rule in floe.yaml. */
export type ConfigFileRuleIdentity = Partial<
  Pick<LimitConfig, 'name' | 'scope' | 'per' | 'team' | 'key' | 'owner' | 'end_user' | 'model'>
>;

/**
 * Returns the id of a limit, budget or relay rule in floe.yaml: its name, or a hash of the conditions that
 * select its requests. The counters therefore survive a change of the limit's value.
 */
export function computeConfigFileRuleId(config: ConfigFileRuleIdentity): string {
  if (config.name !== undefined) return config.name;
  const { scope, per, team, key, owner, end_user, model } = config;
  const counted = JSON.stringify([scope, per, team, key, owner, end_user, model]);
  return `limit-${createHash('sha256').update(counted).digest('hex').slice(0, 12)}`;
}

function compileRule(
  id: string,
  source: LimitOrBudgetSource,
  config: LimitConfig | BudgetConfig,
): Omit<LimitOrBudgetBase, 'name'> {
  return {
    id,
    source,
    bucketFor: compileBucketResolver(config),
    models: config.model === undefined ? null : compileModelPatterns([config.model]),
    onStoreError: config.on_store_error,
  };
}

/**
 * Requests without a team, owner or end user share one bucket, so that callers cannot avoid a limit by
 * omitting the field.
 */
const UNSET_SUBJECT = '-';

function compileBucketResolver({
  scope,
  per,
  team,
  key,
  owner,
  end_user,
}: LimitConfig | BudgetConfig): LimitOrBudgetBase['bucketFor'] {
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

/**
 * Returns the subject of a rule with `scope`. Returns null for a rule with `per`, because it has
 * many subjects.
 */
export function findLimitOrBudgetScopeSubject({
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

/** Returns whether a request's metadata matches a budget's metadata condition. */
export function matchesBudgetMetadata(rule: CompiledBudget, metadata: JsonObject | null): boolean {
  return rule.metadata.every(([name, value]) => {
    const given = metadata?.[name];
    return given !== undefined && String(given) === value;
  });
}
