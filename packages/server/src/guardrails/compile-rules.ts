import { createHash } from 'node:crypto';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { compileModelPatterns } from '../core/model-pattern.ts';
import { BudgetBuckets } from './budget-buckets.ts';
import { createBudgetPeriodResolver } from './budget-period.ts';
import { LimitBuckets } from './limit-buckets.ts';
import type {
  BudgetDefinition,
  GuardrailRuleSource,
  LimitDefinition,
  LimitOrBudgetBase,
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
export interface CompiledGuardrailRules {
  readonly limits: readonly CompiledLimit[];
  readonly budgets: readonly CompiledBudget[];
  /** Whether a limit or budget applies to certain models only. */
  readonly hasModelRules: boolean;
}

/** A configured limit or budget, with its API id. */
export interface ConfiguredGuardrailRule<Config> {
  readonly id: string;
  readonly source: GuardrailRuleSource;
  readonly config: Config;
}

const NANO_USD = 1_000_000_000;

/**
 * Prepares an organization's limits and budgets for matching requests. Returns null if it has none.
 */
export function compileGuardrailRules(
  limits: readonly ConfiguredGuardrailRule<LimitConfig>[],
  budgets: readonly ConfiguredGuardrailRule<BudgetConfig>[],
  timezone: string,
): CompiledGuardrailRules | null {
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

/** Prepares a limit for matching requests. */
export function compileLimit({ id, source, config }: ConfiguredGuardrailRule<LimitConfig>): CompiledLimit {
  const rule = { ...compileRule(id, source, config), name: config.name ?? describeLimit(config), config };
  return { ...rule, buckets: new LimitBuckets(rule) };
}

/** Prepares a budget for matching requests. `timezone` determines when its periods start. */
export function compileBudget(
  { id, source, config }: ConfiguredGuardrailRule<BudgetConfig>,
  timezone: string,
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
  return { ...rule, buckets: new BudgetBuckets(rule) };
}

/** Converts a limit or budget from floe.yaml to a rule, and adds its id. */
export function toConfiguredLimitOrBudget<Config extends LimitConfig | BudgetConfig>(
  config: Config,
): ConfiguredGuardrailRule<Config> {
  return { id: computeConfigFileRuleId(config), source: 'file', config };
}

/** The fields that determine the id of a limit or budget in floe.yaml. */
export type ConfigFileRuleIdentity = Partial<
  Pick<LimitConfig, 'name' | 'scope' | 'per' | 'team' | 'key' | 'owner' | 'end_user' | 'model'>
>;

/**
 * Returns the id of a limit or budget in floe.yaml: its name, or a hash of the conditions that
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
  source: GuardrailRuleSource,
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
export function findRuleScopeSubject({
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
