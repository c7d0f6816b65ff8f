import { LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { PermissionAction } from '../data/permissions.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import { joinClassNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

const LOOKS = {
  primary: 'border-transparent bg-accent text-on-accent font-medium hover:bg-accent-hover',
  secondary: 'border-line-strong bg-surface text-ink shadow-control hover:bg-hover',
  quiet: 'border-transparent text-ink-2 hover:bg-hover hover:text-ink',
  danger: 'border-transparent bg-failing text-white font-medium hover:brightness-110',
} as const;

/** The props of a `Button`. */
export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof LOOKS;
  readonly icon?: LucideIcon;
  /** Whether an action is in progress. The button then keeps its position and focus, and ignores clicks. */
  readonly busy?: boolean;
  /** The permission that the action requires. Without it, the button is disabled and shows the reason. */
  readonly needs?: PermissionAction | undefined;
  /** The text of the tooltip: a consequence that the label does not mention. */
  readonly hint?: string;
}

const OFF = 'cursor-not-allowed border-line bg-sunken text-ink-off';
/** Styles for a button in a disabled form, where the button has no `disabled` attribute of its own. */
const WITHIN_OFF =
  'disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-ink-off disabled:shadow-none';

/** Renders a button with a text label. */
export function Button({
  look = 'secondary',
  icon: Icon,
  busy,
  needs,
  hint,
  children,
  ...props
}: ButtonProps) {
  const refusal = useDenialReason(needs);
  const off = props.disabled || refusal !== null;
  const button = (
    <button
      type="button"
      {...props}
      {...(refusal === null && !busy ? {} : { onClick: undefined, type: 'button' })}
      // Without the permission, the button stays focusable so that its tooltip can show the reason.
      disabled={refusal === null && props.disabled}
      aria-disabled={off || busy || undefined}
      data-needs={needs}
      className={joinClassNames(
        'inline-flex h-control shrink-0 items-center justify-center gap-1.5 rounded-control border px-3 text-ui whitespace-nowrap transition-colors',
        off ? OFF : LOOKS[look],
        WITHIN_OFF,
        props.className,
      )}
    >
      {busy ? (
        <LoaderCircle size={16} className="animate-spin" />
      ) : (
        Icon && <Icon size={16} strokeWidth={1.75} />
      )}
      {children}
    </button>
  );
  const tooltip = refusal ?? hint;
  return tooltip ? <Tooltip text={tooltip}>{button}</Tooltip> : button;
}

/** The props of an `IconButton`. */
export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** A verb and an object, such as `Copy request id`. */
  readonly label: string;
  readonly keys?: string;
  readonly needs?: PermissionAction;
}

/** The size of an icon button, also used for its placeholder. */
const ICON_BUTTON = 'size-8 shrink-0 pointer-coarse:size-11';

/** Reserves the space of an `IconButton` while the code of the button loads. */
export function IconButtonPlaceholder() {
  return <span className={joinClassNames('block', ICON_BUTTON)} />;
}

/**
 * Renders a button that contains only an icon. Screen readers read its label, and a tooltip shows the label
 * on hover and focus.
 */
export function IconButton({ icon: Icon, label, keys, needs, className, ...props }: IconButtonProps) {
  const refusal = useDenialReason(needs);
  return (
    <Tooltip text={refusal ?? label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        {...props}
        {...(refusal === null ? {} : { onClick: undefined, disabled: false })}
        aria-disabled={refusal !== null || undefined}
        data-needs={needs}
        className={joinClassNames(
          'inline-grid place-items-center rounded-control text-ink-2 hover:bg-hover hover:text-ink disabled:text-ink-off',
          ICON_BUTTON,
          refusal !== null && 'cursor-not-allowed text-ink-off',
          className,
        )}
      >
        <Icon size={16} strokeWidth={1.75} />
      </button>
    </Tooltip>
  );
}
