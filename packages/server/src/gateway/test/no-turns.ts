import type { TurnStore } from '../stored/turn-store.ts';

/** A store of turns that has none and takes none. */
export const NO_TURNS: TurnStore = {
  keep: () => Promise.resolve(),
  find: () => Promise.resolve(undefined),
  conversation: () => Promise.resolve(undefined),
  replace: () => Promise.resolve(),
  remove: () => Promise.resolve(false),
};
