import type { Input } from './redirects.ts';
import type { Scope } from './scope.ts';
import type { Place } from './word.ts';

/** Where a text stands that is read: names of the commands around it, and what they read. */
export interface Surroundings {
  readonly via: readonly string[];
  readonly input: Input | null;
  /** Where it stands in the outermost text; null for that itself. */
  readonly place: Place | null;
  readonly depth: number;
  readonly scope: Scope;
}
