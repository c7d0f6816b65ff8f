import { useState } from 'react';
import { useValueEffect } from './use-value-effect.ts';

/**
 * Returns the last value that stayed the same for `ms` milliseconds. Use it for typed values that are sent to
 * the server.
 */
export function useDebouncedValue<Value>(value: Value, ms = 300): Value {
  const [settled, setSettled] = useState(value);
  // Compares values as JSON, so that equal objects count as unchanged.
  useValueEffect(JSON.stringify(value), () => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  });
  return settled;
}
