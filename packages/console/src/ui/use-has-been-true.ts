import { useState } from 'react';

/**
 * Returns whether `isUsed` is true or was true on an earlier render. With it, a section of a form stays open
 * after the user has emptied its fields.
 */
export function useHasBeenTrue(isUsed: boolean): boolean {
  const [wasUsed, setWasUsed] = useState(isUsed);
  if (isUsed && !wasUsed) setWasUsed(true);
  return wasUsed || isUsed;
}
