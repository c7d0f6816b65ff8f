import type { TurnStore } from '../stored/turn-store.ts';

/** A turn store that contains no turns and stores none. */
export const EMPTY_TURN_STORE: TurnStore = {
  store: () => Promise.resolve(),
  find: () => Promise.resolve(undefined),
  conversation: () => Promise.resolve(undefined),
  replace: () => Promise.resolve(),
  remove: () => Promise.resolve(false),
};
