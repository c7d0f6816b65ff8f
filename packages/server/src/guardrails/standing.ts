import { usdText } from '@floe/contract/usd-text';
import type { Level, Standing } from '../store/ports.ts';
import { limitClaims, spendClaim } from './claims.ts';
import type { Caller } from './counted-request.ts';
import type { Guard } from './guard.ts';
import type { RuleClaim } from './rule-claim.ts';
import type { BudgetRule, LimitRule, Rules } from './rules.ts';

/** Where a caller stands with a limit. */
export interface LimitStanding {
  readonly name: string;
  readonly rpm: number | null;
  readonly rpm_used: number | null;
  readonly rpm_reset_ms: number | null;
  readonly tpm: number | null;
  readonly tpm_used: number | null;
  readonly tpm_reset_ms: number | null;
  readonly concurrency: number | null;
  readonly concurrency_used: number | null;
}

/** Where a caller stands with a budget. */
export interface BudgetStanding {
  readonly name: string;
  readonly period: 'day' | 'week' | 'month' | 'total';
  readonly mode: 'hard' | 'soft';
  readonly limit_nano_usd: number;
  readonly limit_usd: string;
  readonly spent_nano_usd: number;
  readonly spent_usd: string;
  /** What requests under way hold besides. */
  readonly reserved_nano_usd: number;
  readonly reserved_usd: string;
  readonly remaining_usd: string;
  readonly resets_at: string | null;
}

/** What `GET /gateway/v1/key` tells of the limits and budgets that a key's requests meet. */
export async function standingOf(guard: Guard, rules: Rules | null, caller: Caller) {
  if (rules === null) return { limits: [], budgets: [] };
  const { orgId } = caller.key;
  const reach = guard.reach(rules, caller);
  const perLimit = reach.limits.map(({ bucket }) => limitClaims(bucket, 0));
  const budgetClaims = reach.budgets.map((budget) => spendClaim(orgId, budget, 0, guard.book));
  const claims = [...perLimit.flat(), ...budgetClaims];
  const levels = await guard.levels(orgId, claims);
  const byBucket = new Map(claims.map((claim, index) => [claim.bucket, levels[index]]));
  return {
    limits: reach.limits.map(({ rule }, index) => limitStanding(rule, perLimit[index] ?? [], byBucket)),
    budgets: reach.budgets.map(({ rule }, index) => {
      const claim = budgetClaims[index];
      return budgetStanding(rule, claim?.endsAt ?? 0, byBucket.get(claim?.bucket ?? '') ?? NOTHING);
    }),
  };
}

const NOTHING = { used: 0, held: 0 };

export function limitStanding(
  { name, config }: LimitRule,
  claims: readonly RuleClaim[],
  levels: ReadonlyMap<string, Level | undefined>,
): LimitStanding {
  const levelOf = (counts: RuleClaim['counts']) => {
    const claim = claims.find((candidate) => candidate.counts === counts);
    return claim && (levels.get(claim.bucket) ?? { used: 0, resetMs: 0 });
  };
  const [requests, tokens] = [levelOf('requests'), levelOf('tokens')];
  return {
    name,
    rpm: config.rpm ?? null,
    rpm_used: requests?.used ?? null,
    rpm_reset_ms: requests ? Math.ceil(requests.resetMs) : null,
    tpm: config.tpm ?? null,
    tpm_used: tokens?.used ?? null,
    tpm_reset_ms: tokens ? Math.ceil(tokens.resetMs) : null,
    concurrency: config.concurrency ?? null,
    concurrency_used: levelOf('concurrency')?.used ?? null,
  };
}

export function budgetStanding(
  { name, config, limitNanoUsd }: BudgetRule,
  endsAt: number,
  { used, held }: Pick<Standing, 'used' | 'held'>,
): BudgetStanding {
  const spent = used - held;
  return {
    name,
    period: config.period,
    mode: config.mode,
    limit_nano_usd: limitNanoUsd,
    limit_usd: usdText(limitNanoUsd),
    spent_nano_usd: spent,
    spent_usd: usdText(spent),
    reserved_nano_usd: held,
    reserved_usd: usdText(held),
    remaining_usd: usdText(Math.max(0, limitNanoUsd - used)),
    resets_at: endsAt === 0 ? null : new Date(endsAt).toISOString(),
  };
}
