import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';

/** A component whose code is asked for when it is first drawn, or before by `load`. */
export interface LazyComponent<Props> {
  (props: Props): ReactNode;
  /** Asks for the code: for who knows that it will be needed. */
  load(): void;
}

/**
 * Like `lazy`, with `fallback` in its place while the code is on its way and no `Suspense` around it. What a Suspense
 * reveals React holds back until 300 ms after the fallback was shown: too long for a part of every visit. Above rows the
 * fallback has the size of the part for the same props, by the same code: else the rows move when the part comes.
 */
export function lazyComponent<Props extends object>(
  ask: () => Promise<ComponentType<Props>>,
  fallback: (props: Props) => ReactNode = () => null,
): LazyComponent<Props> {
  let state: { readonly part?: ComponentType<Props>; readonly error?: unknown } = {};
  let asked = false;
  const watchers = new Set<() => void>();
  const turn = (next: typeof state) => {
    state = next;
    for (const watcher of [...watchers]) watcher();
  };
  const load = () => {
    if (asked) return;
    asked = true;
    ask().then(
      (part) => turn({ part }),
      (error: unknown) => turn({ error }),
    );
  };
  const watch = (changed: () => void) => {
    watchers.add(changed);
    load();
    return () => watchers.delete(changed);
  };
  function Late(props: Props) {
    const { part: Part, error } = useSyncExternalStore(watch, () => state);
    // The page above says that it broke, and reloads where a new release took the file away.
    if (error !== undefined) throw error;
    return Part ? <Part {...props} /> : fallback(props);
  }
  return Object.assign(Late, { load });
}
