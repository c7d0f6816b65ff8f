import { toDecimalUsd } from '@floe/contract/decimal-usd';
import type { BucketLevel, BucketUsage } from '../store/store-interfaces.ts';
import type { CompiledLimit, CompiledLimitsAndBudgets } from './compile-limits-and-budgets.ts';
import type { LimitAndBudgetEnforcer } from './limit-and-budget-enforcer.ts';
import type { BudgetDefinition } from './limit-or-budget-base.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';
import { buildLimitClaims, buildSpendClaim } from './matched-limits-and-budgets.ts';
import type { RequestAttributes } from './request-attributes.ts';

/** A caller's current usage of a limit. */
export interface LimitStatus {
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

/** A caller's current usage of a budget. */
export interface BudgetStatus {
  readonly name: string;
  readonly period: 'day' | 'week' | 'month' | 'total';
  readonly mode: 'hard' | 'soft';
  readonly limit_nano_usd: number;
  readonly limit_usd: string;
  readonly spent_nano_usd: number;
  readonly spent_usd: string;
  /** Reservations of requests in progress, in addition to the spent amount. */
  readonly reserved_nano_usd: number;
  readonly reserved_usd: string;
  readonly remaining_usd: string;
  readonly resets_at: string | null;
}

/** Returns the limits and budgets that apply to a key, for `GET /gateway/v1/key`. */
export async function readLimitAndBudgetStatus(
  guard: LimitAndBudgetEnforcer,
  rules: CompiledLimitsAndBudgets | null,
  caller: RequestAttributes,
) {
  if (rules === null) return { limits: [], budgets: [] };
  const { orgId } = caller.key;
  const matched = guard.matchRules(rules, caller);
  const perLimit = matched.limits.map(({ bucket }) => buildLimitClaims(bucket, 0));
  const budgetClaims = matched.budgets.map((budget) => buildSpendClaim(orgId, budget, 0, guard.spendCache));
  const claims = [...perLimit.flat(), ...budgetClaims];
  const levels = await guard.readLevels(orgId, claims);
  const byBucket = new Map(claims.map((claim, index) => [claim.bucket, levels[index]]));
  return {
    limits: matched.limits.map(({ rule }, index) => buildLimitStatus(rule, perLimit[index] ?? [], byBucket)),
    budgets: matched.budgets.map(({ rule }, index) => {
      const claim = budgetClaims[index];
      return buildBudgetStatus(rule, claim?.endsAt ?? 0, byBucket.get(claim?.bucket ?? '') ?? NO_USAGE);
    }),
  };
}

const NO_USAGE = { used: 0, reserved: 0 };

/** Returns how much of a limit is currently used. */
export function buildLimitStatus(
  { name, config }: CompiledLimit,
  claims: readonly LimitOrBudgetClaim[],
  levels: ReadonlyMap<string, BucketLevel | undefined>,
): LimitStatus {
  const levelOf = (counts: LimitOrBudgetClaim['unit']) => {
    const claim = claims.find((candidate) => candidate.unit === counts);
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

/** Returns how much of a budget is currently used. */
export function buildBudgetStatus(
  { name, config, limitNanoUsd }: BudgetDefinition,
  endsAt: number,
  { used, reserved }: Pick<BucketUsage, 'used' | 'reserved'>,
): BudgetStatus {
  const spent = used - reserved;
  return {
    name,
    period: config.period,
    mode: config.mode,
    limit_nano_usd: limitNanoUsd,
    limit_usd: toDecimalUsd(limitNanoUsd),
    spent_nano_usd: spent,
    spent_usd: toDecimalUsd(spent),
    reserved_nano_usd: reserved,
    reserved_usd: toDecimalUsd(reserved),
    remaining_usd: toDecimalUsd(Math.max(0, limitNanoUsd - used)),
    resets_at: endsAt === 0 ? null : new Date(endsAt).toISOString(),
  };
}
