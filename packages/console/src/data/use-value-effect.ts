import { type EffectCallback, useEffect, useEffectEvent } from 'react';

/**
 * Runs an effect after the first render and whenever `value` changes. Changes to other values that the effect
 * uses do not run it. A function that the effect returns is called before the next run, as with `useEffect`.
 */
export function useValueEffect<Value>(value: Value, run: (value: Value) => ReturnType<EffectCallback>): void {
  const latest = useEffectEvent(run);
  useEffect(() => latest(value), [value]);
}
