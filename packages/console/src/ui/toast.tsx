import { X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { type ReactNode, useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';

interface Told {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

let toasts: readonly Told[] = [];
let next = 1;
const readers = new Set<() => void>();

function change(to: readonly Told[]): void {
  toasts = to;
  for (const reader of readers) reader();
}

/** Says what an action of mine led to, where its place is out of sight; `undo` offers the way back. */
export function tell(text: string, undo?: () => void): void {
  change([...toasts, { id: next, text, undo }].slice(-3));
  next += 1;
}

function follow(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Around the app: shows what `tell` was told. */
export function Toasts({ children }: { readonly children: ReactNode }) {
  const shown = useSyncExternalStore(follow, () => toasts);
  const drop = (id: number) => change(toasts.filter((toast) => toast.id !== id));
  return (
    <Radix.Provider duration={6000} swipeDirection="right">
      {children}
      {shown.map(({ id, text, undo }) => (
        <Radix.Root
          key={id}
          onOpenChange={(open) => !open && drop(id)}
          className="slide-in flex items-center gap-3 rounded-control border border-line-strong bg-raised py-1.5 pr-1.5 pl-3 shadow-popover"
        >
          <Radix.Description className="flex-1 text-ui">{text}</Radix.Description>
          {undo && (
            <Radix.Action asChild altText="Undo">
              <button type="button" onClick={undo} className="h-8 px-2 text-ui font-medium text-accent-ink">
                Undo
              </button>
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <IconButton icon={X} label="Dismiss" />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className="fixed right-4 bottom-4 z-60 grid w-80 max-w-[calc(100vw-2rem)] gap-2 outline-none" />
    </Radix.Provider>
  );
}
