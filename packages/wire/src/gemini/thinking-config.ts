import type { Json, JsonObject } from '@floe/contract/json';
import { reportUnusedReasoning, resolveReasoningEffort } from '../adapt-reasoning-for-target.ts';
import type { RequestWriteOptions, ThinkingBudgetRange } from '../dialect.ts';
import type { CanonicalRequest } from '../request.ts';
import { resolveThinkingBudget } from '../thinking-budget.ts';

const THINKING_LEVELS: Readonly<Record<string, Json>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
};

/** All models with thinking budgets accept the budgets in this range. */
const COMMON_BUDGET_RANGE: ThinkingBudgetRange = { min: 512, max: 24_576 };

/**
 * Writes the member `thinkingConfig` of a Gemini request. Returns undefined if the request has no reasoning
 * settings, or if the model does not support them.
 * @example
 * const request = { maxTokens: 100, reasoning: { effort: 'low' } };
 * const range = { min: 128, max: 32_768 };
 * writeGeminiThinkingConfig(request, { thinkingBudgets: range }, new Set())?.thinkingBudget; // 128
 */
export function writeGeminiThinkingConfig(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): JsonObject | undefined {
  if (request.reasoning === undefined) return undefined;
  const effort = resolveReasoningEffort(request, options, dropped);
  switch (options.reasoningStyle ?? 'budget') {
    case 'level':
      reportUnusedReasoning(request, 'effort', dropped);
      return {
        includeThoughts: effort !== 'none',
        thinkingLevel: effort === undefined ? undefined : (THINKING_LEVELS[effort] ?? 'HIGH'),
      };
    case 'budget': {
      reportUnusedReasoning(request, 'budget', dropped);
      const adaptive = request.reasoning.adaptive && request.reasoning.effort === undefined;
      const thinkingBudget = adaptive ? -1 : writeBudget(request, options, dropped);
      return { includeThoughts: thinkingBudget !== 0, thinkingBudget };
    }
    default:
      dropped.add('reasoning');
      return undefined;
  }
}

/** The service rejects a budget outside the range of the model with 400. */
function writeBudget(
  request: CanonicalRequest,
  { thinkingBudgets: range = COMMON_BUDGET_RANGE }: RequestWriteOptions,
  dropped: Set<string>,
): number | undefined {
  const wanted = resolveThinkingBudget(request, dropped);
  if (wanted === undefined || (isDisabled(request) && range.required !== true)) return wanted;
  const sent = Math.min(Math.max(wanted, range.min), range.max);
  if (sent !== wanted) dropped.add('reasoning.effort.clamped');
  return sent;
}

function isDisabled({ reasoning }: CanonicalRequest): boolean {
  return reasoning?.budget === undefined ? reasoning?.effort === 'none' : reasoning.budget === 0;
}
