import { joinClassNames } from './class-names.ts';

/**
 * Shows a bar for the used share of a maximum. The amount reserved for requests in progress has a lighter color. The
 * bar changes to the warning color at 80% and to the failure color at 100%. The text next to the bar contains the same
 * information.
 */
export function Meter({
  label,
  used,
  held = 0,
  most,
  text,
  heldText = '',
}: {
  readonly label: string;
  readonly used: number;
  /** The reserved amount, in addition to `used`. */
  readonly held?: number;
  readonly most: number;
  /** The usage as text, such as `2,104 / 6,000`. */
  readonly text: string;
  /** The reserved amount as text, such as `2 reserved`. */
  readonly heldText?: string;
}) {
  const share = Math.min(1, most > 0 ? used / most : 0);
  const taken = Math.min(1, most > 0 ? (used + held) / most : 0);
  const words = held > 0 ? `${text}, ${heldText}` : text;
  const colour = share >= 1 ? 'bg-failing' : share >= 0.8 ? 'bg-warning' : 'bg-series-1';
  return (
    <span className="flex min-w-0 items-center gap-2">
      {/* biome-ignore lint/a11y/useSemanticElements: browsers style <meter> themselves, so tokens do not apply. */}
      <span
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={Math.min(used, most)}
        aria-valuetext={words}
        title={words}
        className="relative h-1.5 w-16 shrink-0 overflow-hidden rounded-full border border-line bg-sunken"
      >
        <span
          className={joinClassNames('absolute inset-y-0 left-0 opacity-45', colour)}
          style={{ width: `${taken * 100}%` }}
        />
        <span
          className={joinClassNames('absolute inset-y-0 left-0', colour)}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className={joinClassNames('truncate figures', share >= 1 && 'font-medium text-failing-ink')}>
        {text}
      </span>
    </span>
  );
}
