/** A breaker state that a member or key has set for a limited time. It overrides the computed state. */
export interface ForcedBreakerState {
  readonly state: 'open' | 'closed';
  /** Unix milliseconds at which the forced state ends automatically. */
  readonly until: number;
  readonly reason: string;
  /** Who set it: the email address of a member or the name of a key. */
  readonly by: string;
}
