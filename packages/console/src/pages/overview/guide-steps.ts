/** The first ten minutes: which steps there are and what shows that one is done. Pure. */

export const GUIDE_STEPS = ['request', 'provider', 'client', 'monitor', 'budget'] as const;
export type GuideStepId = (typeof GUIDE_STEPS)[number];

/** What the server has seen of an org; undefined while it has not said. */
export interface GuideProgress {
  readonly requests: number | undefined;
  readonly providerKinds: readonly string[] | undefined;
  /** Requests by keys that were made for a client. */
  readonly clientRequests: number | undefined;
  /** Whether any job called, ever. */
  readonly hasBeat: boolean | undefined;
  readonly budgets: number | undefined;
}

/** A step is done when the server saw it happen, never by a click. */
export function completedSteps(seen: GuideProgress): ReadonlySet<GuideStepId> {
  const done: Record<GuideStepId, boolean> = {
    request: (seen.requests ?? 0) > 0,
    provider: seen.providerKinds?.some((kind) => kind !== 'sandbox') ?? false,
    client: (seen.clientRequests ?? 0) > 0,
    monitor: seen.hasBeat ?? false,
    budget: (seen.budgets ?? 0) > 0,
  };
  return new Set(GUIDE_STEPS.filter((step) => done[step]));
}

/** Names of keys that were made on Connect: they end in the client's. */
export function isConnectKeyName(name: string, clients: readonly string[]): boolean {
  return clients.some((client) => name.endsWith(`-${client}`) || name.includes(`-${client}-`));
}
