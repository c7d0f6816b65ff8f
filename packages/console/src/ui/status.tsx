import {
  Ban,
  CircleCheck,
  CircleHelp,
  CirclePause,
  Contrast,
  Hourglass,
  LogOut,
  type LucideIcon,
  OctagonX,
  TriangleAlert,
  Wrench,
  Zap,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { joinClassNames } from './class-names.ts';

interface Look {
  readonly icon: LucideIcon;
  readonly word: string;
  readonly ink: string;
  readonly tint: string;
}

/**
 * The icon, color and label of each status. Each status has its own icon, so that color is never the only
 * difference.
 */
export const STATUS_STYLES = {
  healthy: look(CircleCheck, 'Healthy', 'text-healthy-ink', 'bg-healthy-tint border-healthy-line'),
  failing: look(OctagonX, 'Failing', 'text-failing-ink', 'bg-failing-tint border-failing-line'),
  waiting: look(Hourglass, 'Waiting', 'text-waiting-ink', 'bg-waiting-tint border-waiting-line'),
  paused: look(CirclePause, 'Paused', 'text-paused-ink', 'bg-paused-tint border-paused-line'),
  unknown: look(CircleHelp, 'Unknown', 'text-unknown-ink', 'bg-unknown-tint border-unknown-line'),
  maintenance: look(
    Wrench,
    'Maintenance',
    'text-maintenance-ink',
    'bg-maintenance-tint border-maintenance-line',
  ),
  warning: look(TriangleAlert, 'Warning', 'text-warning-ink', 'bg-warning-tint border-warning-line'),
  partial: look(Contrast, 'Partial', 'text-partial-ink', 'bg-partial-tint border-partial-line'),
  blocked: look(Ban, 'Blocked', 'text-blocked-ink', 'bg-blocked-tint border-blocked-line'),
  cached: look(Zap, 'Cached', 'text-cached-ink', 'bg-cached-tint border-cached-line'),
  aborted: look(LogOut, 'Client disconnected', 'text-paused-ink', 'bg-paused-tint border-paused-line'),
} as const satisfies Readonly<Record<string, Look>>;

/** A status that is shown with an icon and a color. */
export type DisplayStatus = keyof typeof STATUS_STYLES;

function look(icon: LucideIcon, word: string, ink: string, tint: string): Look {
  return { icon, word, ink, tint };
}

/** Shows the status as an icon. Screen readers read the status text. */
export function StatusIcon({ state, size = 16 }: { readonly state: DisplayStatus; readonly size?: number }) {
  const { icon: Icon, ink, word } = STATUS_STYLES[state];
  return (
    <Icon
      size={size}
      strokeWidth={1.75}
      role="img"
      aria-label={word}
      className={joinClassNames('shrink-0', ink)}
    />
  );
}

/** Shows the status in a rounded frame in a page header. `children` replaces the label of the status. */
export function StatusBadge({
  state,
  children,
}: {
  readonly state: DisplayStatus;
  readonly children?: ReactNode;
}) {
  const { icon: Icon, ink, tint, word } = STATUS_STYLES[state];
  return (
    <span
      className={joinClassNames(
        'inline-flex h-6 items-center gap-1 rounded-full border pr-2.5 pl-1.5 text-label',
        ink,
        tint,
      )}
    >
      <Icon size={14} strokeWidth={2} aria-hidden="true" />
      {children ?? word}
    </span>
  );
}

/**
 * Renders a small label, such as a tag, a scope or a kind. `name` is shown before the value in a lighter
 * color.
 */
export function Badge({ name, children }: { readonly name?: string; readonly children: ReactNode }) {
  return (
    <span className="inline-flex h-5 max-w-full items-center gap-1 whitespace-nowrap rounded-tag border border-line bg-sunken px-1.5 text-label text-ink">
      {name && <span className="truncate font-normal text-ink-2">{name}</span>}
      {typeof children === 'string' ? <span className="truncate">{children}</span> : children}
    </span>
  );
}
