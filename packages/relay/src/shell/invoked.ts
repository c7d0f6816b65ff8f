import type { Assignment, Redirect } from './command.ts';
import type { Input } from './redirects.ts';
import type { Surroundings } from './surroundings.ts';
import type { Place, Word } from './word.ts';

export interface Placing extends Place {
  readonly around: Surroundings;
}

/** A command as its text gives it. */
export interface Invoked extends Placing {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  readonly input: Input | null;
}
