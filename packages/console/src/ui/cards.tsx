import type { ReactNode } from 'react';
import { joinClassNames } from './class-names.ts';

/** Shows pairs of a name and a value, one per row. Omits pairs whose value is null. */
export function DetailList({ items }: { readonly items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-2 text-ui">
      {items.map(([name, value]) =>
        value === null || value === undefined ? null : (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-ink-2">{name}</dt>
            <dd className="min-w-0 break-words text-ink">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Renders a section of a page with a heading. */
export function Card({
  title,
  aside,
  children,
  flush = false,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Removes the padding. Use it for tables. */
  readonly flush?: boolean;
}) {
  return (
    <section className="min-w-0 rounded-card border border-line bg-surface">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 pt-3.5">
        <h2 className="text-body font-semibold">{title}</h2>
        {aside && <div className="text-small text-ink-3">{aside}</div>}
      </header>
      <div className={joinClassNames('pt-2.5', flush ? 'pb-1' : 'px-4 pb-4')}>{children}</div>
    </section>
  );
}

/** Shows several related numbers in one frame. */
export function StatStrip({ children }: { readonly children: ReactNode }) {
  return (
    <div className="@container">
      <div className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line @md:grid-cols-3 @4xl:auto-cols-fr @4xl:grid-flow-col @4xl:grid-cols-none *:bg-surface *:px-3.5 *:py-2.5 @max-md:[&>:last-child:nth-child(odd)]:col-span-2 @md:@max-4xl:[&>:last-child:nth-child(3n+1)]:col-span-3 @md:@max-4xl:[&>:last-child:nth-child(3n+2)]:col-span-2">
        {children}
      </div>
    </div>
  );
}

/**
 * Shows the change from the previous period. Set `worse` for a metric whose higher values are always bad. An
 * increase is then shown in red.
 */
export function PreviousPeriodChange({
  ratio,
  text,
  worse = false,
}: {
  readonly ratio: number | null;
  readonly text: string;
  readonly worse?: boolean;
}) {
  if (ratio === null) return null;
  const arrow = ratio > 0 ? '↗' : ratio < 0 ? '↘' : '→';
  return (
    <span
      className={joinClassNames(
        'text-small whitespace-nowrap figures',
        worse && ratio > 0 ? 'text-failing-ink' : 'text-ink-3',
      )}
    >
      {arrow} {text}
    </span>
  );
}
