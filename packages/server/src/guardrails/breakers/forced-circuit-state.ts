/** A breaker state that an operator set for a limited time. It overrides the computed state. */
export interface ForcedCircuitState {
  readonly state: 'open' | 'closed';
  /** Unix milliseconds at which the forced state ends automatically. */
  readonly until: number;
  readonly reason: string;
  /** Name of the operator who set it. */
  readonly by: string;
}
