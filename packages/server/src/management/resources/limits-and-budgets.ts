import {
  budgetInput,
  budgetReplacement,
  budgetResource,
  limitInput,
  limitReplacement,
  limitResource,
} from '@floe/contract/api/limits-and-budgets';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/limits-cache-policies';
import { toDecimalUsd } from '@floe/contract/decimal-usd';
import type * as z from 'zod';
import {
  compileBudget,
  compileLimit,
  findLimitOrBudgetScopeSubject,
} from '../../guardrails/compile-limits-and-budgets.ts';
import { buildBudgetStatus, buildLimitStatus } from '../../guardrails/limit-and-budget-status.ts';
import { buildLimitClaims, buildSpendClaim } from '../../guardrails/matched-limits-and-budgets.ts';
import { forecastBudgetExhaustion, forecastSpend } from '../../guardrails/spend-forecast.ts';
import { requireLimitSubjectExists } from '../guardrails/require-limit-subject-exists.ts';
import type { RuleDependencies } from '../guardrails/rule-dependencies.ts';
import { validateInput } from '../validate-input.ts';
import {
  type ConfiguredRule,
  createRuleResourceKind,
  type RuleResourceKindSpec,
  selectProvidedRuleFields,
  toRuleMetadata,
} from './rule-resource-kind.ts';

type LimitOrBudgetConfig = LimitConfig | BudgetConfig;
type LimitResource = z.input<typeof limitResource>;
type BudgetResource = z.input<typeof budgetResource>;

/** Creates the resource kind of rate limits, with their current usage. */
export function createLimitResourceKind(dependencies: RuleDependencies) {
  return createRuleResourceKind<LimitConfig, LimitResource>(
    {
      ...sharedSpec('limits', 'limit'),
      idPrefix: 'lim',
      schema: LimitSchema,
      answer: limitResource,
      body: limitInput,
      replacement: limitReplacement,
      fileRulesOf: (rules) => rules.limits,
      parseConfig: (fields) =>
        validateInput(LimitSchema, selectProvidedRuleFields(fields, READ_ONLY_RULE_FIELDS)),
      increasesSpending: () => false,
      toResource: (rule, { orgId }) => toLimitResource(dependencies, rule, orgId),
    },
    dependencies,
  );
}

/** Creates the resource kind of budgets, with their current spending. */
export function createBudgetResourceKind(dependencies: RuleDependencies) {
  return createRuleResourceKind<BudgetConfig, BudgetResource>(
    {
      ...sharedSpec('budgets', 'budget'),
      idPrefix: 'bud',
      schema: BudgetSchema,
      answer: budgetResource,
      body: budgetInput,
      replacement: budgetReplacement,
      fileRulesOf: (rules) => rules.budgets,
      parseConfig: (fields) =>
        validateInput(BudgetSchema, selectProvidedRuleFields(fields, READ_ONLY_RULE_FIELDS)),
      increasesSpending: (before, after) =>
        after === null ||
        after.limit_usd > before.limit_usd ||
        (before.mode === 'hard' && after.mode === 'soft') ||
        countedSpendingKey(before) !== countedSpendingKey(after),
      toResource: (rule, { orgId, clock }) => toBudgetResource(dependencies, rule, orgId, clock.now()),
    },
    dependencies,
  );
}

/** Read-only fields and the reason. They are not part of a rule. */
const READ_ONLY_RULE_FIELDS = new Set([
  'reason',
  'id',
  'state',
  'source',
  'created_at',
  'updated_at',
  'updated_by',
]);

function sharedSpec(kind: 'limits' | 'budgets', singular: 'limit' | 'budget') {
  return {
    kind,
    singular,
    path: `/api/management/${kind}`,
    invalidates: 'guardrails',
    volatileFields: ['state'],
    summaries: {
      list: `List ${kind} with their current usage: those in floe.yaml first, then the others, newest first`,
      create: `Create a ${singular}`,
      get: `Read one ${singular}`,
      update: `Change fields of a ${singular}; null clears a field`,
      replace: `Create or replace a ${singular} by its id; accepts the body that GET returns`,
      delete: `Remove a ${singular}`,
    },
    notFoundMessage: `No ${singular} has this id.`,
    requireReferences: requireLimitSubjectExists,
    // Current usage is not part of a change.
    toAuditView: ({ state: _, ...written }: LimitResource | BudgetResource) => written,
  } as const satisfies Partial<RuleResourceKindSpec<LimitConfig, LimitResource>>;
}

async function toLimitResource(
  { guard }: RuleDependencies,
  rule: ConfiguredRule<LimitConfig>,
  orgId: string,
): Promise<LimitResource> {
  const { config, id, source } = rule;
  const compiled = compileLimit({ id, source: source.kind, config });
  const subject = findLimitOrBudgetScopeSubject(config);
  const claims = subject === null ? [] : buildLimitClaims(compiled.buckets.get(subject), 0);
  const levels = await guard.readLevels(orgId, claims);
  const byBucket = new Map(claims.map((claim, n) => [claim.bucket, levels[n]]));
  const { name: _, rpm, tpm, concurrency, ...state } = buildLimitStatus(compiled, claims, byBucket);
  return {
    ...sharedRuleFields(rule),
    name: config.name ?? null,
    rpm,
    tpm,
    concurrency,
    state: subject === null ? null : state,
  };
}

/** Converts a budget to the API format, with its current spending. */
export async function toBudgetResource(
  { guard, getFileRules }: RuleDependencies,
  stored: ConfiguredRule<BudgetConfig>,
  orgId: string,
  nowMs: number,
): Promise<BudgetResource> {
  const { config, id, source } = stored;
  const rule = compileBudget({ id, source: source.kind, config }, getFileRules(orgId).timezone);
  const { name, metadata, period, limit_usd, mode } = config;
  const base = { ...sharedRuleFields(stored), name, metadata: { ...metadata }, period, limit_usd, mode };
  const subject = findLimitOrBudgetScopeSubject(config);
  if (subject === null) return { ...base, state: null };
  const bucket = rule.buckets.get(subject, nowMs);
  const { period: now } = bucket;
  const claim = buildSpendClaim(orgId, bucket, 0, guard.spendCache);
  const [level = { used: 0, reserved: 0 }] = await guard.readLevels(orgId, [claim]);
  const standing = buildBudgetStatus(rule, now.endsAt, level);
  const spent = standing.spent_nano_usd;
  const forecast = forecastSpend(spent, now, nowMs);
  return {
    ...base,
    state: {
      spent_nano_usd: spent,
      reserved_nano_usd: standing.reserved_nano_usd,
      reserved_usd: standing.reserved_usd,
      forecast_nano_usd: forecast,
      forecast_usd: forecast === null ? null : toDecimalUsd(forecast),
      exhausted_at: forecastBudgetExhaustion({ spent, forecast, limit: rule.limitNanoUsd }, now, nowMs),
      spent_usd: standing.spent_usd,
      remaining_nano_usd: Math.max(0, rule.limitNanoUsd - level.used),
      remaining_usd: standing.remaining_usd,
      starts_at: now.endsAt === 0 ? null : new Date(now.startsAt).toISOString(),
      resets_at: standing.resets_at,
    },
  };
}

/** Fields that limits and budgets have in common. */
function sharedRuleFields(rule: ConfiguredRule<LimitOrBudgetConfig>) {
  const { config } = rule;
  return {
    id: rule.id,
    scope: config.scope ?? null,
    per: config.per ?? null,
    team: config.team ?? null,
    key: config.key ?? null,
    owner: config.owner ?? null,
    end_user: config.end_user ?? null,
    model: config.model ?? null,
    on_store_error: config.on_store_error,
    ...toRuleMetadata(rule),
  };
}

/**
 * Identifies what a budget counts, and its period. A budget with another subject starts at zero, and a budget
 * with another period may permit more.
 */
function countedSpendingKey({ name: _name, limit_usd: _limit, mode: _mode, ...rest }: BudgetConfig): string {
  return JSON.stringify(Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)));
}
