import { useState } from 'react';

/**
 * Returns the value, or while it is null, the last value that was not null. The page shows this value dimmed while
 * another selection loads, so that it never combines the data of two selections.
 * @param value A value that keeps its identity between renderings. Null while a part of it is loading.
 */
export function useLatestComplete<Value>(value: Value | null): Value | null {
  const [latest, setLatest] = useState(value);
  if (value !== null && value !== latest) setLatest(value);
  return value ?? latest;
}
