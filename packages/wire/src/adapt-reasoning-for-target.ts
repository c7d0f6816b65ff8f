import type { RequestWriteOptions } from './dialect.ts';
import type { CanonicalRequest, ReasoningEffort } from './request.ts';

const EFFORT_LEVELS: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
];
const BUDGET_BY_EFFORT: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};

/**
 * Returns the caller's reasoning effort, or the effort that corresponds to the caller's thinking budget. If the
 * model does not support it, returns the nearest supported effort and reports the effort as dropped.
 */
export function resolveReasoningEffort(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): ReasoningEffort | undefined {
  const wanted = request.reasoning?.effort ?? effortFromBudget(request.reasoning?.budget);
  const listed = options.efforts;
  if (wanted === undefined || listed === undefined || listed.length === 0 || listed.includes(wanted))
    return wanted;
  dropped.add('reasoning.effort');
  const rank = EFFORT_LEVELS.indexOf(wanted);
  return listed.reduce((best, effort) =>
    Math.abs(EFFORT_LEVELS.indexOf(effort) - rank) < Math.abs(EFFORT_LEVELS.indexOf(best) - rank)
      ? effort
      : best,
  );
}

function effortFromBudget(budget: number | undefined): ReasoningEffort | undefined {
  if (budget === undefined) return undefined;
  if (budget <= 0) return 'none';
  if (budget <= BUDGET_BY_EFFORT.low) return 'low';
  return budget <= BUDGET_BY_EFFORT.medium ? 'medium' : 'high';
}

/**
 * Returns the requested thinking budget in tokens, or the budget that corresponds to the requested effort. 0
 * disables thinking. Undefined leaves the choice to the provider.
 */
export function resolveRequestedThinkingBudget(request: CanonicalRequest): number | undefined {
  const { reasoning } = request;
  if (reasoning?.budget !== undefined) return reasoning.budget;
  if (reasoning?.effort !== undefined) return BUDGET_BY_EFFORT[reasoning.effort];
  return reasoning?.adaptive ? BUDGET_BY_EFFORT.medium : undefined;
}

/** Returns an effort that Claude supports. Replaces `minimal` with `low` and reports it as clamped. */
export function toClaudeEffort(
  effort: ReasoningEffort | undefined,
  dropped: Set<string>,
): ReasoningEffort | undefined {
  if (effort !== 'minimal') return effort;
  dropped.add('reasoning.effort.clamped');
  return 'low';
}

/**
 * Adds the reasoning settings that the target's form cannot express to `dropped`. The form `effort` drops the
 * budget if both settings are given, and `budget` drops the effort. If only one is given, it is converted to
 * the target's form. The form `switch` drops both settings. A request that disables reasoning drops nothing,
 * because every form can express this.
 */
export function reportUnusedReasoning(
  { reasoning }: CanonicalRequest,
  form: 'effort' | 'budget' | 'switch',
  dropped: Set<string>,
): void {
  const { effort, budget } = reasoning ?? {};
  const isBoth = effort !== undefined && budget !== undefined;
  const isOff = effort === 'none' || (effort === undefined && budget === 0);
  if (isOff) return;
  if (budget !== undefined && (form === 'switch' || (isBoth && form === 'effort')))
    dropped.add('reasoning.budget');
  if (effort !== undefined && (form === 'switch' || (isBoth && form === 'budget')))
    dropped.add('reasoning.effort');
}
