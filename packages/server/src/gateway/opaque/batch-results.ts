import type { Exchange } from '../exchange-record.ts';
import type { ResolvedRoute } from '../org-catalog.ts';
import type { OpaqueContext } from './opaque-context.ts';
import type { ResultLines } from './resource-owner-store.ts';

/** All lines of batch results. */
export const ALL_LINES: ResultLines = { from: 0, to: Infinity };

/** Returns the lines of batch results that no earlier request has counted. */
export async function findUncountedLines(
  { client, gateway }: Exchange,
  { targets: [target] }: ResolvedRoute,
  { resource: { isBatchResults, id }, key }: OpaqueContext,
): Promise<ResultLines> {
  if (!isBatchResults || id === null || !target || client.method !== 'GET') return ALL_LINES;
  const results = { orgId: key.orgId, provider: target.provider.id, id };
  return { ...ALL_LINES, from: await gateway.resourceOwners.findCountedLines(results) };
}

/** Counts the usage of the lines of batch results that were forwarded, unless another request has counted it. */
export async function claimResultLines(
  { answer, target, gateway }: Exchange,
  { resource: { isBatchResults, id }, key }: OpaqueContext,
  lines: ResultLines,
): Promise<void> {
  if (!isBatchResults || !answer.usage || id === null || !target) return;
  const results = { orgId: key.orgId, provider: target.provider.id, id };
  if (await gateway.resourceOwners.claimLines(results, lines)) return;
  answer.setUsage(null);
  answer.setResults(null);
}
