import { useEffect, useState } from 'react';

/** A value that is asked of the server: the last one, once it stood still for a moment. */
export function useDebounced<Value>(value: Value, ms = 300): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a value that reads the same is the same.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return settled;
}
