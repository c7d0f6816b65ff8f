import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { IconButton } from './button.tsx';
import { joinClassNames } from './class-names.ts';

/** The props of a `Dialog`. */
export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, with the safe one first. */
  readonly actions?: ReactNode;
  /**
   * If false, Escape and clicks outside do not close the dialog, so that its content cannot be lost by
   * accident.
   */
  readonly dismissible?: boolean;
  readonly wide?: boolean;
}

/** Renders a modal dialog for a question or a short form. */
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
 * Renders content above the page. When it closes, the focus returns to the element that had it before, unless
 * another element has taken it. Radix does this only for its own triggers.
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
