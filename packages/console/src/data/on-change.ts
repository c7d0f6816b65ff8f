import { type EffectCallback, useEffect, useEffectEvent } from 'react';

/**
 * Runs an effect when a component is first drawn, and again whenever `value` is another. Everything else that it reads
 * is as it stands then. What it returns is run before the next time, as of every effect.
 */
export function useOnChange<Value>(value: Value, run: (value: Value) => ReturnType<EffectCallback>): void {
  const latest = useEffectEvent(run);
  useEffect(() => latest(value), [value]);
}
