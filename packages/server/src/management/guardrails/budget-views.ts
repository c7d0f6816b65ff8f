import type { budget } from '@floe/contract/api/guardrails';
import type { BudgetConfig } from '@floe/contract/config';
import { BudgetSchema } from '@floe/contract/config/guardrails';
import { usdText } from '@floe/contract/usd-text';
import type * as z from 'zod';
import { bucketName, spendClaim } from '../../guardrails/claims.ts';
import { compileBudget, scopedSubject } from '../../guardrails/rules.ts';
import { storedBudget } from '../../guardrails/stored-rules.ts';
import { type RuleKind, type Shown, shownRule } from './rule-kind.ts';

export type BudgetView = z.input<typeof budget>;

/** Budgets, as the verbs of `rule-verbs.ts` handle them. */
export const BUDGETS: RuleKind<BudgetConfig, BudgetView> = {
  kind: 'budgets',
  one: 'budget',
  prefix: 'bud',
  schema: BudgetSchema,
  storedConfig: (row) => storedBudget(row).config,
  fileRules: (rules) => rules.budgets,
  nameOf: ({ name }) => name,
  raises: (before, after) =>
    after === null ||
    after.limit_usd > before.limit_usd ||
    (before.mode === 'hard' && after.mode === 'soft') ||
    whatItCounts(before) !== whatItCounts(after),

  async view({ guard, orgId, timezone, nowMs }, shown: Shown<BudgetConfig>) {
    const { config, id, source } = shown;
    const rule = compileBudget({ id, source: source.kind, config }, timezone);
    const whose = scopedSubject(config);
    const base = {
      ...shownRule(shown),
      name: config.name,
      metadata: { ...config.metadata },
      period: config.period,
      limit_usd: config.limit_usd,
      mode: config.mode,
    };
    if (whose === null) return { ...base, state: null };
    const now = rule.periodAt(nowMs);
    const claim = spendClaim(
      orgId,
      { rule, bucket: bucketName(rule, now, whose), period: now },
      0,
      guard.book,
    );
    const [{ used, held } = { used: 0, held: 0 }] = await guard.levels(orgId, [claim]);
    const spent = used - held;
    const remaining = Math.max(0, rule.limitNanoUsd - used);
    const forecast = forecastOf(spent, now, nowMs);
    return {
      ...base,
      state: {
        spent_nano_usd: spent,
        reserved_nano_usd: held,
        reserved_usd: usdText(held),
        forecast_nano_usd: forecast,
        forecast_usd: forecast === null ? null : usdText(forecast),
        full_at: fullAt(spent, forecast, rule.limitNanoUsd, now, nowMs),
        spent_usd: usdText(spent),
        remaining_nano_usd: remaining,
        remaining_usd: usdText(remaining),
        starts_at: now.endsAt === 0 ? null : new Date(now.startsAt).toISOString(),
        resets_at: now.endsAt === 0 ? null : new Date(now.endsAt).toISOString(),
      },
    };
  },
};

/** Part of a period that must have gone by before what was spent in it says anything about the rest. */
const FORECAST_FROM_SHARE = 0.02;

/** What the whole period will cost if it goes on as it did so far; null without an end, or too early in it. */
export function forecastOf(
  spentNanoUsd: number,
  { startsAt, endsAt }: { readonly startsAt: number; readonly endsAt: number },
  nowMs: number,
): number | null {
  if (endsAt === 0) return null;
  const share = (nowMs - startsAt) / (endsAt - startsAt);
  return share < FORECAST_FROM_SHARE ? null : Math.round(spentNanoUsd / Math.min(1, share));
}

/** When nothing is left at the pace of `forecast`; null when something will be. */
export function fullAt(
  spent: number,
  forecast: number | null,
  limit: number,
  { startsAt, endsAt }: { readonly startsAt: number; readonly endsAt: number },
  nowMs: number,
): string | null {
  if (forecast === null || forecast <= limit) return null;
  const at = spent >= limit ? nowMs : startsAt + (limit / forecast) * (endsAt - startsAt);
  return new Date(at).toISOString();
}

/** Whose spending counts, and for how long: another subject or period leaves what was spent behind. */
function whatItCounts({ name: _name, limit_usd: _limit, mode: _mode, ...rest }: BudgetConfig): string {
  return JSON.stringify(Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)));
}
