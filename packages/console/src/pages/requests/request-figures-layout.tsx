import type { ReactNode } from 'react';
import { StatCard } from '../../ui/stat-card.tsx';

const FIGURES = ['Requests', 'Errors', 'Latency p95', 'First token p50', 'Spend'] as const;
export type RequestFigureTexts = Readonly<Record<(typeof FIGURES)[number], string>>;

/**
 * The places of figures, chart and marks above the list: as high while these are being loaded as with them, so that the
 * rows below stay where they are. The chart has room for a legend of two lines, on a phone for one of three.
 */
export function RequestFiguresLayout({
  texts,
  chart,
  marks,
}: {
  /** A dash stands for each figure until they are there. */
  readonly texts?: RequestFigureTexts | undefined;
  readonly chart?: ReactNode;
  readonly marks?: ReactNode;
}) {
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(5.5rem,max-content))] gap-x-6 gap-y-2 md:gap-x-8">
        {FIGURES.map((label) => (
          <StatCard key={label} label={label} value={texts?.[label] ?? '–'} />
        ))}
      </div>
      <div className="min-h-38 min-w-0 md:min-h-34">{chart}</div>
      <div className="h-6 min-w-0">{marks}</div>
    </div>
  );
}
