/** The steps of the setup guide, and the conditions under which each is done. Pure. */

export const GUIDE_STEPS = ['request', 'provider', 'client', 'monitor', 'budget'] as const;
export type GuideStepId = (typeof GUIDE_STEPS)[number];

/** What exists in the organization. Undefined values are still loading. */
export interface GuideProgress {
  readonly requests: number | undefined;
  /** Number of successful requests with any key. */
  readonly succeeded: number | undefined;
  readonly providerKinds: readonly string[] | undefined;
  /** Number of requests with keys that were created for a client. */
  readonly clientRequests: number | undefined;
  /** Whether any monitor has received a beat. */
  readonly hasBeat: boolean | undefined;
  readonly budgets: number | undefined;
}

/**
 * Returns the completed steps. A step is complete when the server has recorded its result, not when the user
 * clicks something.
 */
export function completedSteps(seen: GuideProgress): ReadonlySet<GuideStepId> {
  const done: Record<GuideStepId, boolean> = {
    request: (seen.succeeded ?? 0) > 0,
    provider: seen.providerKinds?.some((kind) => kind !== 'sandbox') ?? false,
    client: (seen.clientRequests ?? 0) > 0,
    monitor: seen.hasBeat ?? false,
    budget: (seen.budgets ?? 0) > 0,
  };
  return new Set(GUIDE_STEPS.filter((step) => done[step]));
}

/** Whether a key was created on the Connect page, which ends key names with the name of a client. */
export function isConnectKeyName(name: string, clients: readonly string[]): boolean {
  return clients.some((client) => name.endsWith(`-${client}`) || name.includes(`-${client}-`));
}
