import { type EffectCallback, useEffect, useEffectEvent } from 'react';

/**
 * Runs an effect on the first render and whenever `value` changes. Other values that the effect uses do not
 * cause a run. A function that the effect returns is called before the next run, as with `useEffect`.
 */
export function useOnChange<Value>(value: Value, run: (value: Value) => ReturnType<EffectCallback>): void {
  const latest = useEffectEvent(run);
  useEffect(() => latest(value), [value]);
}
