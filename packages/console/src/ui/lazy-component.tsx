import { type ComponentType, type ReactNode, useSyncExternalStore } from 'react';

/** A component whose code loads when the component is first rendered, or earlier if `load` is called. */
export interface LazyComponent<Props> {
  (props: Props): ReactNode;
  /** Starts loading the code before the component is rendered. */
  load(): void;
}

/**
 * Creates a component whose code loads on demand. Until it has loaded, the component shows `fallback`. Unlike a
 * component from `lazy`, it needs no `Suspense`. React keeps the fallback of a Suspense boundary for at least
 * 300 ms, which is too long for components that are on every page. If there are rows below, the fallback must
 * have the same size as the component, so that the rows do not move.
 */
export function createLazyComponent<Props extends object>(
  importComponent: () => Promise<ComponentType<Props>>,
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
    importComponent().then(
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
    // The page boundary shows the error, and reloads if a new release has removed the file.
    if (error !== undefined) throw error;
    return Part ? <Part {...props} /> : fallback(props);
  }
  return Object.assign(Late, { load });
}
