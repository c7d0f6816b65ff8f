import { createHash } from 'node:crypto';
import type { ResolvedRoute, Target } from './catalog.ts';
import type { ConversationTargets } from './conversation-targets.ts';
import type { Latencies } from './latencies.ts';

export interface StrategyContext {
  readonly orgId: string;
  /** Names the conversation of this org; null when the request names none. */
  readonly conversation: string | null;
  readonly stream: boolean;
  readonly conversations: ConversationTargets;
  readonly latencies: Latencies;
  readonly random: () => number;
}

/** A course whose targets stand in the order to try them, and what put them so. */
export interface OrderedRoute {
  readonly route: ResolvedRoute;
  /** What moved a target to the front; null when the order is the route's own. */
  readonly reason: string | null;
}

/**
 * Puts the targets of a course in order: by the route's strategy, credentials by their weights, and the target
 * a conversation has been on first. A conversation's order follows from its name (rendezvous hashing), so that
 * several replicas agree without talking.
 */
export function applyRoutingStrategy(route: ResolvedRoute, by: StrategyContext): OrderedRoute {
  if (route.targets.length < 2) return { route, reason: null };
  const { conversation: name } = by;
  const groups = sortGroups(groupByModel(route.targets), route, by, name);
  const targets = groups.flatMap((group) =>
    name === null || group.length < 2
      ? group
      : sortByScore(group, (target) => rendezvousScore(name, getTargetKey(target), target.credential.weight)),
  );
  const kept = name === null ? undefined : by.conversations.find(name);
  const at = kept === undefined ? -1 : targets.findIndex((target) => getTargetKey(target) === kept);
  const [stays] = at > 0 ? targets.splice(at, 1) : [];
  if (stays) targets.unshift(stays);
  const because = at >= 0 ? 'the conversation stays where it was' : STRATEGY_REASONS[route.strategy];
  return { route: { ...route, targets, conversation: name }, reason: because };
}

const STRATEGY_REASONS = {
  failover: null,
  weighted: 'drawn by the weights of the route',
  least_latency: 'the quickest of late first',
} as const;

/** Names a target within its org. */
export function getTargetKey({ provider, credential, model }: Target): string {
  return `${provider.id}\n${credential.name}\n${model}`;
}

/** What its targets have in common, whichever their credential. */
export function getTargetName({ provider, model }: Target): string {
  return `${provider.id}/${model}`;
}

/** Targets of one provider and model, which differ in their credential only. */
function groupByModel(targets: readonly Target[]): Target[][] {
  const groups: Target[][] = [];
  for (const target of targets) {
    const [first] = groups.at(-1) ?? [];
    if (first && first.provider === target.provider && first.model === target.model)
      groups.at(-1)?.push(target);
    else groups.push([target]);
  }
  return groups;
}

function sortGroups(
  groups: Target[][],
  { strategy }: ResolvedRoute,
  { orgId, stream, latencies, random }: StrategyContext,
  name: string | null,
): Target[][] {
  if (strategy === 'failover' || groups.length < 2) return groups;
  if (strategy === 'least_latency')
    return sortByScore(groups, ([first]) =>
      first ? -latencies.expectedMs(orgId, getTargetName(first), stream) : 0,
    );
  const chance = (group: Target[]) =>
    name === null ? random() : hashFraction(name, group[0] ? getTargetName(group[0]) : '');
  return sortByScore(groups, (group) => weightedScore(chance(group), group[0]?.weight ?? 1));
}

/** Highest score first; the order given decides a tie. */
function sortByScore<T>(entries: readonly T[], score: (entry: T) => number): T[] {
  return entries
    .map((entry) => ({ entry, score: score(entry) }))
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

function rendezvousScore(name: string, candidate: string, weight: number): number {
  return weightedScore(hashFraction(name, candidate), weight);
}

/** Of several candidates the highest is each one with a chance in proportion to its weight. */
function weightedScore(chance: number, weight: number): number {
  return weight <= 0 ? Number.NEGATIVE_INFINITY : Math.log(Math.max(chance, 1e-12)) / weight;
}

/** From 0 to below 1, the same on every replica. */
function hashFraction(name: string, candidate: string): number {
  return createHash('sha256').update(`${name}\n${candidate}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
