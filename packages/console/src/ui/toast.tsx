import { lazy, Suspense, useSyncExternalStore } from 'react';

/** Not part of the first page: nothing has been done yet that could be told of. */
const ToastList = lazy(() => import('./toast-list.tsx').then(({ ToastList: Part }) => ({ default: Part })));

export interface ToastContent {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

let toasts: readonly ToastContent[] = [];
let next = 1;
const readers = new Set<() => void>();

function change(to: readonly ToastContent[]): void {
  toasts = to;
  for (const reader of readers) reader();
}

/** Says what an action of mine led to, where its place is out of sight; `undo` offers the way back. */
export function showToast(text: string, undo?: () => void): void {
  change([...toasts, { id: next, text, undo }].slice(-3));
  next += 1;
}

function follow(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Shows what `tell` was told, over everything. */
export function Toasts() {
  const shown = useSyncExternalStore(follow, () => toasts);
  const isNeeded = next > 1;
  return (
    isNeeded && (
      <Suspense>
        <ToastList toasts={shown} onDrop={(id) => change(toasts.filter((toast) => toast.id !== id))} />
      </Suspense>
    )
  );
}
