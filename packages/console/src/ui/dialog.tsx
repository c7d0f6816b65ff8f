import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
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

const BusyContext = createContext<RefObject<boolean> | null>(null);

/**
 * Keeps the enclosing dialog open while `busy` is true. Use it while a change is sent, so that the dialog can
 * show its error, or a value that the API returns only once.
 */
export function useKeepDialogOpen(busy: boolean): void {
  const held = useContext(BusyContext);
  useLayoutEffect(() => {
    if (held === null) return;
    held.current = busy;
    return () => {
      held.current = false;
    };
  }, [held, busy]);
}

/** Renders a modal dialog for a question or a short form. */
export function Dialog({ open, onClose, title, description, children, actions, ...more }: DialogProps) {
  const { dismissible = true, wide = false } = more;
  const busy = useRef(false);
  const hold = (event: Event) => {
    if (!dismissible || busy.current) event.preventDefault();
  };
  const holdEscape = (event: Event) => {
    hold(event);
    // Radix receives the key before the combobox, for which it closes the list.
    if (document.activeElement?.matches('[role=combobox]:is([aria-expanded=true],[data-typed])'))
      event.preventDefault();
  };
  const holdClick = (event: MouseEvent) => {
    // Clicks in a dialog above this one also arrive here.
    const isInside = event.target instanceof Node && event.currentTarget.contains(event.target);
    if (!busy.current || !isInside) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <ModalContent
          onEscapeKeyDown={holdEscape}
          onPointerDownOutside={hold}
          onClickCapture={holdClick}
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
          <BusyContext value={busy}>
            {children && <div className="mt-4">{children}</div>}
            {actions && <div className="mt-5 flex flex-wrap justify-end gap-2">{actions}</div>}
          </BusyContext>
        </ModalContent>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * Renders the content of a dialog above the page. When the dialog closes, the focus returns to the element that
 * had it before, unless another element has received it. Radix does this only for its own triggers.
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
