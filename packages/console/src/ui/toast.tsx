import { Suspense, useSyncExternalStore } from 'react';
import { lazyWithFailureNotice } from './lazy-with-failure-notice.tsx';

/** Loaded separately, because no toast is needed on the first render. */
const ToastList = lazyWithFailureNotice(
  () => import('./toast-list.tsx').then(({ ToastList: Part }) => Part),
  true,
);

/** A toast to show. */
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

/** Shows the result of the user’s action in a toast. With `undo`, the toast has an undo button. */
export function showToast(text: string, undo?: () => void): void {
  change([...toasts, { id: next, text, undo }].slice(-3));
  next += 1;
}

function follow(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Shows the toasts that `showToast` creates, above the page. */
export function ToastContainer() {
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
