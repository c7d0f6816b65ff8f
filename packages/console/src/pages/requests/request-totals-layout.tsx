import type { ReactNode } from 'react';
import { StatCard } from '../../ui/stat-card.tsx';
import { requestsText } from './text.ts';

const FIGURES = ['requests', 'errors', 'latency', 'firstToken', 'spend'] as const;
/** The text of each total above the request list. */
export type RequestTotalTexts = Readonly<Record<(typeof FIGURES)[number], string>>;

/**
 * Renders the totals, the chart and the events above the request list. The height does not change when they
 * load, so that the rows below do not move. The chart reserves space for a legend of two lines, or of three
 * on a phone.
 */
export function RequestTotalsLayout({
  texts,
  chart,
  marks,
}: {
  /** The totals. Dashes are shown until they are loaded. */
  readonly texts?: RequestTotalTexts | undefined;
  readonly chart?: ReactNode;
  readonly marks?: ReactNode;
}) {
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(5.5rem,max-content))] gap-x-6 gap-y-2 md:gap-x-8">
        {FIGURES.map((name) => (
          <StatCard key={name} label={requestsText.figures[name]} value={texts?.[name] ?? '–'} />
        ))}
      </div>
      <div className="min-h-38 min-w-0 md:min-h-34">{chart}</div>
      <div className="h-6 min-w-0">{marks}</div>
    </div>
  );
}
