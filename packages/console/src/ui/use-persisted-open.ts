import { useState } from 'react';

/** True from when something was in it: what is emptied again must not close under the person. */
export function usePersistedOpen(isUsed: boolean): boolean {
  const [wasUsed, setWasUsed] = useState(isUsed);
  if (isUsed && !wasUsed) setWasUsed(true);
  return wasUsed || isUsed;
}
