import { Fault } from '@floe/contract/faults';
import { priceLine } from '../../guardrails/claims.ts';
import type { Caller, Estimate } from '../../guardrails/counted-request.ts';
import type { Guard } from '../../guardrails/guard.ts';
import type { Rules } from '../../guardrails/rules.ts';
import { standingOf } from '../../guardrails/standing.ts';

interface Step {
  readonly step: string;
  readonly outcome: string;
  readonly because: string;
}

/** Whether a rate limit would refuse a request now; looks, and takes nothing. Null when none would. */
export async function rateOutlook(
  guard: Guard,
  rules: Rules,
  caller: Caller,
  estimate: Estimate | null,
  steps: Step[],
): Promise<Fault | null> {
  const { limits } = await standingOf(guard, rules, caller);
  let refusal: Fault | null = null;
  for (const limit of limits) {
    const counts = [
      ['requests', limit.rpm, limit.rpm_used, 1, limit.rpm_reset_ms],
      ['tokens', limit.tpm, limit.tpm_used, estimate?.tokens ?? 0, limit.tpm_reset_ms],
      ['concurrency', limit.concurrency, limit.concurrency_used, 1, null],
    ] as const;
    for (const [unit, most, used, wanted, resetMs] of counts) {
      if (most === null) continue;
      // A reservation is never larger than the whole limit.
      const refuses = (used ?? 0) + Math.min(wanted, most) > most;
      const because = `"${limit.name}": ${used ?? 0} of ${most} ${unit} used, ${Math.min(wanted, most)} asked for`;
      steps.push({ step: 'limit', outcome: refuses ? 'refused' : 'granted', because });
      if (refuses)
        refusal ??= new Fault(
          'rate_limit_exceeded',
          because,
          resetMs === null ? {} : { retryAfterMs: resetMs },
        );
    }
  }
  return refusal;
}

/** Whether a hard budget would refuse it. */
export async function spendOutlook(
  guard: Guard,
  rules: Rules,
  caller: Caller,
  estimate: Estimate,
  steps: Step[],
): Promise<Fault | null> {
  const { nanoUsd } = estimate;
  const { budgets } = await standingOf(guard, rules, caller);
  let refusal: Fault | null = null;
  for (const {
    name,
    mode,
    limit_nano_usd: most,
    spent_nano_usd: spent,
    reserved_nano_usd: held,
  } of budgets) {
    const isSpent = spent + (nanoUsd ?? 0) > most;
    const isOver = isSpent || spent + held + (nanoUsd ?? 0) > most;
    const refuses = mode === 'hard' && (isOver || nanoUsd === null);
    const wanted = nanoUsd === null ? 'an unknown price' : dollars(nanoUsd);
    const because = `"${name}" (${mode}): ${dollars(spent)} of ${dollars(most)} spent, ${held > 0 ? `${dollars(held)} reserved, ` : ''}${wanted} asked for at most`;
    steps.push({ step: 'limit', outcome: refuses ? 'refused' : 'granted', because });
    if (!refuses) continue;
    const fault =
      nanoUsd === null
        ? new Fault('price_unknown', `${because}. ${priceLine(estimate)}`)
        : new Fault(isSpent ? 'budget_exceeded' : 'budget_reserved', because);
    // As the counters judge: a budget that is spent is told before one that is only reserved.
    if (refusal === null || (refusal.code === 'budget_reserved' && isSpent)) refusal = fault;
  }
  return refusal;
}

/** `$0.000125`, to the nano-dollar and at least to the cent. */
function dollars(nanoUsd: number): string {
  const [whole = '0', fraction = ''] = (nanoUsd / 1e9).toFixed(9).split('.');
  return `$${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}
