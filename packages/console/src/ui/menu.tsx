import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { joinClassNames } from './class-names.ts';
import { KeyboardKey } from './keyboard-key.tsx';

/** The CSS classes of a panel that opens above the page. */
export const POPUP_CLASS =
  'appear z-50 rounded-control border border-line-strong bg-raised p-1 shadow-popover max-h-[70dvh] overflow-y-auto';
/** The CSS classes of an option in a list of suggestions. */
export const OPTION_CLASS =
  'flex min-h-8 items-center rounded-tag px-2 text-ui hover:bg-hover aria-selected:bg-hover';
const ITEM =
  'flex min-h-8 w-full items-center gap-2 rounded-tag px-2 text-ui text-ink outline-none select-none data-highlighted:bg-hover data-disabled:text-ink-off pointer-coarse:min-h-11';

/** Renders a menu of actions that opens from `trigger`. */
export function Menu({
  trigger,
  children,
  align = 'end',
  onClose,
  isOpen = false,
}: {
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  /**
   * Called when the menu closes. For a menu that is rendered only while open, the caller must return the
   * focus.
   */
  readonly onClose?: () => void;
  /** Opens the menu initially, for a menu that is rendered on request. */
  readonly isOpen?: boolean;
}) {
  const open = onClose ? { open: true, onOpenChange: (is: boolean) => !is && onClose() } : {};
  return (
    <Radix.Root defaultOpen={isOpen} {...open}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => onClose && event.preventDefault()}
          className={joinClassNames(POPUP_CLASS, 'min-w-48')}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Renders an action in a `Menu`. */
export function MenuItem({
  icon: Icon,
  keys,
  danger,
  disabled,
  current,
  onSelect,
  children,
}: {
  readonly icon?: LucideIcon;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Marks the item as the current place, in a menu of places. */
  readonly current?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Item
      disabled={disabled ?? false}
      aria-current={current || undefined}
      onSelect={onSelect}
      className={joinClassNames(ITEM, danger && 'text-failing-ink')}
    >
      {Icon && <Icon size={16} strokeWidth={1.75} className="text-ink-3" />}
      <span className="flex-1">{children}</span>
      {current && (
        <Check size={16} strokeWidth={1.75} role="img" aria-label="current" className="text-ink-2" />
      )}
      {keys && <KeyboardKey>{keys}</KeyboardKey>}
    </Radix.Item>
  );
}

/** Renders a menu item that turns an option on or off. The menu stays open. */
export function MenuCheckboxItem({
  checked,
  onChange,
  children,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={ITEM}
    >
      <span className="grid size-4 place-items-center">
        <Radix.ItemIndicator>
          <Check size={14} />
        </Radix.ItemIndicator>
      </span>
      {children}
    </Radix.CheckboxItem>
  );
}

/** Renders a heading inside a `Menu`. */
export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 py-1 text-label text-ink-3">{children}</Radix.Label>;
}

/** Renders a line between groups of menu items. */
export function MenuSeparator() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
