import { type EffectCallback, useEffect, useEffectEvent } from 'react';

/**
 * Runs an effect on the first render and whenever `value` changes. The effect reads all other values as of
 * that render. A returned function is called before the next run, as for all effects.
 */
export function useOnChange<Value>(value: Value, run: (value: Value) => ReturnType<EffectCallback>): void {
  const latest = useEffectEvent(run);
  useEffect(() => latest(value), [value]);
}
