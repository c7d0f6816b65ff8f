import { createHash } from 'node:crypto';
import type { ConversationTargets } from './conversation-targets.ts';
import type { ResolvedRoute, Target } from './org-catalog.ts';
import type { TargetLatencies } from './target-latencies.ts';

/** The input of a routing strategy. */
export interface RoutingStrategyContext {
  readonly orgId: string;
  /** Identifies the conversation within the organization; null if there is none. */
  readonly conversation: string | null;
  readonly stream: boolean;
  readonly conversations: ConversationTargets;
  readonly latencies: TargetLatencies;
  readonly random: () => number;
}

/** A route with ordered targets, and the reason for the order. */
export interface OrderedRoute {
  readonly route: ResolvedRoute;
  /** Why the first target is first; null if the targets are in the order of the route. */
  readonly reason: string | null;
}

/**
 * Orders a route's targets by its strategy and by the weights of the credentials. The target that the
 * conversation used last comes first. The order for a conversation is computed from its id (rendezvous
 * hashing), so that all processes choose the same order.
 */
export function applyRoutingStrategy(route: ResolvedRoute, context: RoutingStrategyContext): OrderedRoute {
  if (route.targets.length < 2) return { route, reason: null };
  const { conversation: name } = context;
  const groups = sortGroups(groupByModel(route.targets), route, context, name);
  const targets = groups.flatMap((group) =>
    name === null || group.length < 2
      ? group
      : sortByScore(group, (target) => rendezvousScore(name, getTargetId(target), target.credential.weight)),
  );
  const kept = name === null ? undefined : context.conversations.find(context.orgId, name);
  const at = kept === undefined ? -1 : targets.findIndex((target) => getTargetId(target) === kept);
  const [stays] = at > 0 ? targets.splice(at, 1) : [];
  if (stays) targets.unshift(stays);
  const reason = at >= 0 ? 'the conversation stays on its previous target' : STRATEGY_REASONS[route.strategy];
  return { route: { ...route, targets, conversation: name }, reason };
}

const STRATEGY_REASONS = {
  failover: null,
  weighted: 'chosen at random according to the weights of the targets',
  least_latency: 'lowest recent latency first',
} as const;

/** Returns a key that identifies a target within its organization. */
export function getTargetId({ provider, credential, model }: Target): string {
  return `${provider.id}\n${credential.name}\n${model}`;
}

/** Returns the provider and model of a target, without its credential. */
export function getTargetName({ provider, model }: Target): string {
  return `${provider.id}/${model}`;
}

/** Groups targets with the same provider and model. */
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
  { orgId, stream, latencies, random }: RoutingStrategyContext,
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

/** Sorts by descending score. Entries with equal scores keep their order. */
function sortByScore<T>(entries: readonly T[], score: (entry: T) => number): T[] {
  return entries
    .map((entry) => ({ entry, score: score(entry) }))
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

function rendezvousScore(name: string, candidate: string, weight: number): number {
  return weightedScore(hashFraction(name, candidate), weight);
}

/**
 * Returns a random score. Each candidate has the highest score with a probability in proportion to its
 * weight.
 */
function weightedScore(chance: number, weight: number): number {
  return weight <= 0 ? Number.NEGATIVE_INFINITY : Math.log(Math.max(chance, 1e-12)) / weight;
}

/** Returns a number from 0 (inclusive) to 1 (exclusive) that is equal in every process. */
function hashFraction(name: string, candidate: string): number {
  return createHash('sha256').update(`${name}\n${candidate}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
