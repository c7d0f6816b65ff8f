/** How the shared store has served this process since it started. */
export interface SharedStoreFigures {
  /** Requests are counted by this process alone now. */
  readonly away: boolean;
  /** Requests that waited for it and heard nothing in time, or an error. */
  readonly unheard: number;
  /** Requests judged by this process alone, those and all others while it was away. */
  readonly ownGrants: number;
  readonly ownRefusals: number;
}
