import { X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { IconButton } from './button.tsx';
import type { ToastContent } from './toast.tsx';

/** Shows the current toasts at the bottom right, for six seconds each. */
export function ToastList({
  toasts,
  onDrop,
}: {
  readonly toasts: readonly ToastContent[];
  readonly onDrop: (id: number) => void;
}) {
  return (
    <Radix.Provider duration={6000} swipeDirection="right">
      {toasts.map(({ id, text, undo }) => (
        <Radix.Root
          key={id}
          onOpenChange={(open) => !open && onDrop(id)}
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
