import { useState } from 'react';
import { useOnChange } from './on-change.ts';

/** A value that is asked of the server: the last one, once it stood still for a moment. */
export function useDebounced<Value>(value: Value, ms = 300): Value {
  const [settled, setSettled] = useState(value);
  // A value that reads the same is the same.
  useOnChange(JSON.stringify(value), () => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  });
  return settled;
}
