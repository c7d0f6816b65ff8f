/** The steps of the setup guide, and the conditions under which each is done. Pure. */

/** The steps of the setup guide, in display order. */
export const SETUP_GUIDE_STEPS = ['request', 'provider', 'client', 'monitor', 'budget'] as const;
/** The id of a step in the setup guide. */
export type SetupGuideStepId = (typeof SETUP_GUIDE_STEPS)[number];

/** The data that determines which steps are complete. Undefined values are still loading. */
export interface SetupGuideProgress {
  readonly requests: number | undefined;
  /** Number of successful requests with any key, at most 1. */
  readonly succeeded: number | undefined;
  readonly providerKinds: readonly string[] | undefined;
  /** Number of requests with keys that were created for a client, at most 1. */
  readonly clientRequests: number | undefined;
  /** Whether any monitor has received a beat. */
  readonly hasBeat: boolean | undefined;
  readonly budgets: number | undefined;
}

/**
 * Returns the completed steps. A step is complete when the server has recorded its result, not when the user
 * clicks something.
 */
export function listCompletedSteps(progress: SetupGuideProgress): ReadonlySet<SetupGuideStepId> {
  const done: Record<SetupGuideStepId, boolean> = {
    request: (progress.succeeded ?? 0) > 0,
    provider: progress.providerKinds?.some((kind) => kind !== 'sandbox') ?? false,
    client: (progress.clientRequests ?? 0) > 0,
    monitor: progress.hasBeat ?? false,
    budget: (progress.budgets ?? 0) > 0,
  };
  return new Set(SETUP_GUIDE_STEPS.filter((step) => done[step]));
}

/**
 * Returns whether the Connect page may have generated the name of a key. Such a name contains one of the client
 * IDs in `clients`.
 */
export function isConnectPageKeyName(name: string, clients: readonly string[]): boolean {
  return clients.some((client) => name.endsWith(`-${client}`) || name.includes(`-${client}-`));
}
