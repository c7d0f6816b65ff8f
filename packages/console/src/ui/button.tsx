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

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof LOOKS;
  readonly icon?: LucideIcon;
  /** Something is under way: the button keeps its place and its focus, and takes no second click. */
  readonly busy?: boolean;
  /** What the person must be allowed to do; else the button is off and says why. */
  readonly needs?: PermissionAction;
}

const OFF = 'cursor-not-allowed border-line bg-sunken text-ink-off';
/** In a form that is off as a whole, a button is without being told. */
const WITHIN_OFF =
  'disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-ink-off disabled:shadow-none';

/** A button with words. */
export function Button({ look = 'secondary', icon: Icon, busy, needs, children, ...props }: ButtonProps) {
  const refusal = useDenialReason(needs);
  const off = props.disabled || refusal !== null;
  const button = (
    <button
      type="button"
      {...props}
      {...(refusal === null && !busy ? {} : { onClick: undefined, type: 'button' })}
      // What is off because of who is asking can be reached all the same: the reason is told on focus.
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
  return refusal === null ? button : <Tooltip text={refusal}>{button}</Tooltip>;
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** Verb and object, such as `Copy request id`. */
  readonly label: string;
  readonly keys?: string;
  readonly needs?: PermissionAction;
}

/** Also of the place of one that is on its way. */
const ICON_BUTTON = 'size-8 shrink-0 pointer-coarse:size-11';

/** As large as an `IconButton`, for one whose code is being loaded. */
export function IconButtonPlaceholder() {
  return <span className={joinClassNames('block', ICON_BUTTON)} />;
}

/** A button that is only an icon: named for screen readers, explained on hover and focus. */
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
