import type { Grant } from './grant.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';

interface LimitHeaderValues {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/**
 * Returns rate limit headers as a flat list of names and values. The headers describe the request
 * limit and the token limit with the least remaining. They always use OpenAI's names. For Messages
 * clients, Anthropic's names are added.
 */
export function buildRateLimitHeaders(grant: Grant, anthropic: boolean, nowMs: number): string[] {
  const headers: string[] = [];
  for (const counts of ['requests', 'tokens'] as const) {
    const standing = findTightestLimit(grant, counts);
    if (standing === null) continue;
    const { limit, remaining, resetMs } = standing;
    headers.push(`x-ratelimit-limit-${counts}`, String(limit));
    headers.push(`x-ratelimit-remaining-${counts}`, String(remaining));
    headers.push(`x-ratelimit-reset-${counts}`, formatDuration(resetMs));
    if (!anthropic) continue;
    headers.push(`anthropic-ratelimit-${counts}-limit`, String(limit));
    headers.push(`anthropic-ratelimit-${counts}-remaining`, String(remaining));
    headers.push(`anthropic-ratelimit-${counts}-reset`, new Date(nowMs + resetMs).toISOString());
  }
  return headers;
}

function findTightestLimit(
  { claims, taken }: Grant,
  counts: LimitOrBudgetClaim['unit'],
): LimitHeaderValues | null {
  let least: LimitHeaderValues | null = null;
  for (const [index, claim] of claims.entries()) {
    if (claim.unit !== counts) continue;
    const { used = 0, resetMs = 0 } = taken.levels[index] ?? {};
    const remaining = Math.max(0, claim.limit - used);
    if (least === null || remaining < least.remaining) least = { limit: claim.limit, remaining, resetMs };
  }
  return least;
}

/** Formats a duration as OpenAI does: `6m0s`, `1.5s`, `120ms`. */
function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.ceil((ms % 60_000) / 10) / 100;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
