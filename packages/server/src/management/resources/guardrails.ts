import {
  budget,
  budgetBody,
  budgetReplacement,
  limit,
  limitBody,
  limitReplacement,
} from '@floe/contract/api/guardrails';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/guardrails';
import { usdText } from '@floe/contract/usd-text';
import type * as z from 'zod';
import { bucketName, limitClaims, spendClaim } from '../../guardrails/claims.ts';
import { forecastOf, fullAt } from '../../guardrails/forecast.ts';
import { compileBudget, compileLimit, scopedSubject } from '../../guardrails/rules.ts';
import { budgetStanding, limitStanding } from '../../guardrails/standing.ts';
import type { RuleHost } from '../guardrails/rule-host.ts';
import { validate } from '../input.ts';
import { given, type RuleSpec, ruleKind, type StoredRule, writtenBy } from './rule-kind.ts';

type AnyConfig = LimitConfig | BudgetConfig;
type LimitView = z.input<typeof limit>;
type BudgetView = z.input<typeof budget>;

/** Rate limits, with what is used of them. */
export function limits(host: RuleHost) {
  return ruleKind<LimitConfig, LimitView>(
    {
      ...common('limits', 'limit'),
      prefix: 'lim',
      schema: LimitSchema,
      answer: limit,
      body: limitBody,
      replacement: limitReplacement,
      inFile: (rules) => rules.limits,
      checked: (fields) => validate(LimitSchema, given(fields, SHOWN_ONLY)),
      raises: () => false,
      view: (rule, { orgId }) => limitView(host, rule, orgId),
    },
    host,
  );
}

/** Budgets, with what is spent of them. */
export function budgets(host: RuleHost) {
  return ruleKind<BudgetConfig, BudgetView>(
    {
      ...common('budgets', 'budget'),
      prefix: 'bud',
      schema: BudgetSchema,
      answer: budget,
      body: budgetBody,
      replacement: budgetReplacement,
      inFile: (rules) => rules.budgets,
      checked: (fields) => validate(BudgetSchema, given(fields, SHOWN_ONLY)),
      raises: (before, after) =>
        after === null ||
        after.limit_usd > before.limit_usd ||
        (before.mode === 'hard' && after.mode === 'soft') ||
        whatItCounts(before) !== whatItCounts(after),
      view: (rule, { orgId, clock }) => budgetView(host, rule, orgId, clock.now()),
    },
    host,
  );
}

/** Fields of answers and the reason, which are no part of a rule. */
const SHOWN_ONLY = new Set(['reason', 'id', 'state', 'source', 'created_at', 'updated_at', 'updated_by']);

function common(kind: 'limits' | 'budgets', one: 'limit' | 'budget') {
  return {
    kind,
    one,
    path: `/api/management/${kind}`,
    changes: 'guardrails',
    live: ['state'],
    summaries: {
      list: `List ${kind} with what is used of them: those of floe.yaml first, then newest first`,
      create: `Create a ${one}`,
      get: `Read one ${one}`,
      update: `Change some fields of a ${one}; null clears`,
      replace: `Create or replace the ${one} with this id; what GET returned is accepted`,
      delete: `Remove a ${one}`,
    },
    unknown: `No ${one} has this id.`,
    // How much is used at that moment is no part of a change.
    shown: ({ state: _, ...written }: LimitView | BudgetView) => written,
  } as const satisfies Partial<RuleSpec<LimitConfig, LimitView>>;
}

async function limitView(
  { guard }: RuleHost,
  rule: StoredRule<LimitConfig>,
  orgId: string,
): Promise<LimitView> {
  const { config, id, source } = rule;
  const compiled = compileLimit({ id, source: source.kind, config });
  const whose = scopedSubject(config);
  const claims = whose === null ? [] : limitClaims(compiled.buckets.of(whose), 0);
  const levels = await guard.levels(orgId, claims);
  const byBucket = new Map(claims.map((claim, n) => [claim.bucket, levels[n]]));
  const { name: _, rpm, tpm, concurrency, ...state } = limitStanding(compiled, claims, byBucket);
  return {
    ...shownAlike(rule),
    name: config.name ?? null,
    rpm,
    tpm,
    concurrency,
    state: whose === null ? null : state,
  };
}

export async function budgetView(
  { guard, fileRules }: RuleHost,
  stored: StoredRule<BudgetConfig>,
  orgId: string,
  nowMs: number,
): Promise<BudgetView> {
  const { config, id, source } = stored;
  const rule = compileBudget({ id, source: source.kind, config }, fileRules(orgId).timezone);
  const { name, metadata, period, limit_usd, mode } = config;
  const base = { ...shownAlike(stored), name, metadata: { ...metadata }, period, limit_usd, mode };
  const whose = scopedSubject(config);
  if (whose === null) return { ...base, state: null };
  const now = rule.periodAt(nowMs);
  const claim = spendClaim(orgId, { rule, bucket: bucketName(rule, now, whose), period: now }, 0, guard.book);
  const [level = { used: 0, held: 0 }] = await guard.levels(orgId, [claim]);
  const standing = budgetStanding(rule, now.endsAt, level);
  const spent = standing.spent_nano_usd;
  const forecast = forecastOf(spent, now, nowMs);
  return {
    ...base,
    state: {
      spent_nano_usd: spent,
      reserved_nano_usd: standing.reserved_nano_usd,
      reserved_usd: standing.reserved_usd,
      forecast_nano_usd: forecast,
      forecast_usd: forecast === null ? null : usdText(forecast),
      full_at: fullAt({ spent, forecast, limit: rule.limitNanoUsd }, now, nowMs),
      spent_usd: standing.spent_usd,
      remaining_nano_usd: Math.max(0, rule.limitNanoUsd - level.used),
      remaining_usd: standing.remaining_usd,
      starts_at: now.endsAt === 0 ? null : new Date(now.startsAt).toISOString(),
      resets_at: standing.resets_at,
    },
  };
}

/** What limits and budgets show alike. */
function shownAlike(rule: StoredRule<AnyConfig>) {
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
    ...writtenBy(rule),
  };
}

/** Whose spending counts, and for how long: another subject or period leaves what was spent behind. */
function whatItCounts({ name: _name, limit_usd: _limit, mode: _mode, ...rest }: BudgetConfig): string {
  return JSON.stringify(Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)));
}
