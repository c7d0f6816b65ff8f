/** The steps of the setup guide, and when each is done. Pure. */

export const GUIDE_STEPS = ['request', 'provider', 'client', 'monitor', 'budget'] as const;
export type GuideStepId = (typeof GUIDE_STEPS)[number];

/** What an organization has; undefined while it is loading. */
export interface GuideProgress {
  readonly requests: number | undefined;
  /** Successful requests of any key. */
  readonly succeeded: number | undefined;
  readonly providerKinds: readonly string[] | undefined;
  /** Requests with keys that were created for a client. */
  readonly clientRequests: number | undefined;
  /** Whether any monitor has received a beat. */
  readonly hasBeat: boolean | undefined;
  readonly budgets: number | undefined;
}

/** A step is done when the server has seen its result, never by a click. */
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

/** Whether a key was created on the Connect page: its name ends with the name of a client. */
export function isConnectKeyName(name: string, clients: readonly string[]): boolean {
  return clients.some((client) => name.endsWith(`-${client}`) || name.includes(`-${client}-`));
}
