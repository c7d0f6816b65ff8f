import { useState } from 'react';

/**
 * Returns true if `isUsed` is or has been true, so that a section does not close when the user empties it.
 */
export function useHasBeenTrue(isUsed: boolean): boolean {
  const [wasUsed, setWasUsed] = useState(isUsed);
  if (isUsed && !wasUsed) setWasUsed(true);
  return wasUsed || isUsed;
}
