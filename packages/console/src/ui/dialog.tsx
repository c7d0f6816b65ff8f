import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { IconButton } from './button.tsx';
import { joinClassNames } from './class-names.ts';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, the safe one first. */
  readonly actions?: ReactNode;
  /** False for what must not be lost by a slip: neither Escape nor a click beside it closes. */
  readonly dismissible?: boolean;
  readonly wide?: boolean;
}

/** A question or a short form over the page. */
export function Dialog({ open, onClose, title, description, children, actions, ...more }: DialogProps) {
  const { dismissible = true, wide = false } = more;
  const hold = (event: Event) => {
    if (!dismissible) event.preventDefault();
  };
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <ModalContent
          onEscapeKeyDown={hold}
          onPointerDownOutside={hold}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={joinClassNames(
            'appear fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-dialog border border-line bg-raised p-5 shadow-dialog',
            wide ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="text-body font-semibold">{title}</Radix.Title>
            {dismissible && (
              <IconButton
                icon={X}
                label="Close"
                onClick={onClose}
                className="-mt-1 -mr-1 pointer-coarse:-mt-2.5 pointer-coarse:-mr-3"
              />
            )}
          </div>
          {description && (
            <Radix.Description asChild>
              <div className="mt-1 text-body text-ink-2">{description}</div>
            </Radix.Description>
          )}
          {children && <div className="mt-4">{children}</div>}
          {actions && <div className="mt-5 flex flex-wrap justify-end gap-2">{actions}</div>}
        </ModalContent>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * What stands over the page. The focus goes back to where it was, unless something else has taken it: Radix knows only
 * of its own triggers.
 */
export function ModalContent(props: ComponentProps<typeof Radix.Content>) {
  const [before] = useState(() => document.activeElement);
  const giveBack = (event: Event) => {
    event.preventDefault();
    if (before instanceof HTMLElement && document.activeElement === document.body)
      before.focus({ preventScroll: true });
  };
  return <Radix.Content onCloseAutoFocus={giveBack} {...props} />;
}
