/** A state that an operator set for a time, whatever the calls say. */
export interface ForcedState {
  readonly state: 'open' | 'closed';
  /** Unix milliseconds at which the force ends by itself. */
  readonly until: number;
  readonly reason: string;
  /** Who did it. */
  readonly by: string;
}
