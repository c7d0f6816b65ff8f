import { resolveRequestedThinkingBudget } from './adapt-reasoning-for-target.ts';
import { asNumber } from './json-narrowing.ts';
import type { CanonicalRequest } from './request.ts';

/**
 * The largest share of the token limit for thinking. The limit includes thinking, so the rest is left for
 * the text. OpenRouter documents the same share for the effort `high`.
 */
const MAX_THINKING_SHARE = 0.8;

/**
 * Returns the thinking budget in tokens, for a dialect that expects one. Returns undefined if the provider chooses
 * the budget. A budget is at most 80% of the token limit if it is derived from an effort, or if it does not fit
 * below the limit. A requested budget or effort that is reduced is reported as clamped. A result below `minimum` means
 * that the token limit is too low for thinking.
 * @example
 * resolveThinkingBudget({ maxTokens: 5_000, reasoning: { effort: 'high' } }, new Set()); // 4000
 */
export function resolveThinkingBudget(
  request: CanonicalRequest,
  dropped: Set<string>,
  minimum = 0,
): number | undefined {
  const { reasoning } = request;
  const maxTokens = asNumber(request.maxTokens);
  const resolved = resolveRequestedThinkingBudget(request);
  if (resolved === undefined && minimum === 0) return undefined;
  const wanted = Math.max(resolved ?? 0, minimum);
  if (maxTokens === undefined || (reasoning?.budget !== undefined && wanted < maxTokens)) return wanted;
  const most = Math.floor(maxTokens * MAX_THINKING_SHARE);
  if (wanted <= most) return wanted;
  const isRequested = reasoning?.effort !== undefined || reasoning?.budget !== undefined;
  if (most >= minimum && isRequested) dropped.add('reasoning.effort.clamped');
  return most;
}
