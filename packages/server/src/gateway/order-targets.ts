import { findConversationId, type ScannedRequestBody } from './conversation-id.ts';
import type { Exchange } from './exchange-record.ts';
import type { ResolvedRoute, Target } from './org-catalog.ts';
import { applyRoutingStrategy, type OrderedRoute } from './routing-strategy.ts';

/** The attributes of a request that affect the order of the targets. */
export interface TargetOrderInput {
  readonly orgId: string;
  readonly stream: boolean;
  /** Null for a body that is not JSON. */
  readonly body: ScannedRequestBody | null;
}

/** Orders the targets of an exchange. All surfaces use the same rules. */
export function orderTargets(
  x: Exchange,
  route: ResolvedRoute,
  { orgId, stream, body }: TargetOrderInput,
): OrderedRoute {
  if (route.targets.length < 2) return { route, reason: null };
  const { conversations, latencies, random } = x.gateway;
  const named = findConversationId(x.client.headers, body);
  const conversation = named === null ? null : `${orgId}\n${named}`;
  return applyRoutingStrategy(route, { orgId, conversation, stream, conversations, latencies, random });
}

/** Sets the exchange's route, and records its targets, their order and the reason for the order. */
export function setExchangeRoute(x: Exchange, { route, reason }: OrderedRoute): ResolvedRoute {
  const names = route.targets.map(({ provider, model }) =>
    model === '' ? provider.id : `${provider.id}/${model}`,
  );
  const outcome = names.length < 2 ? (names[0] ?? '') : [...new Set(names)].join(', ');
  x.route = route;
  x.decisions.push({ step: 'route', outcome, reason: route.reason });
  if (reason !== null) x.decisions.push({ step: 'route', outcome: 'ordered', reason });
  for (const skipped of route.skipped)
    x.decisions.push({ step: 'route', outcome: 'skipped', reason: skipped });
  return route;
}

/** Records the target of an attempt, or of a cached response. */
export function setExchangeTarget(x: Exchange, target: Target): void {
  x.target = target;
}
