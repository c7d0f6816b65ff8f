import { useMemo, useState } from 'react';
import type { ChartAnnotation } from '../data/chart-annotation.ts';
import { useGaps } from '../data/gaps.ts';
import { formatDuration } from '../format/amounts.ts';
import { type GapSpan, nullifyZerosInGaps } from '../format/gap-spans.ts';
import { pluralize } from '../format/words.ts';
import { computeIntervalEnd, intervalLabel } from './chart-intervals.ts';
import { Skeleton } from './feedback.tsx';
import { lazyComponent } from './lazy-component.tsx';
import { ScrollArea } from './scroll-area.tsx';

const Canvas = lazyComponent(
  () => import('./chart-canvas.tsx').then(({ ChartCanvas }) => ChartCanvas),
  () => <Skeleton className="h-full w-full" />,
);
// Who loads this has a chart to draw: its code comes while the figures are on their way.
Canvas.load();

export interface PlottedSeries {
  readonly label: string;
  /** One per moment; null is a gap, which is not zero. */
  readonly values: readonly (number | null)[];
  /** The period before, drawn dashed in the colour of the series it follows. */
  readonly compare?: boolean;
}

export interface ChartProps {
  /** What it shows, for its heading in the table and for screen readers. */
  readonly label: string;
  /** Start of each interval, in milliseconds. */
  readonly at: readonly number[];
  readonly series: readonly PlottedSeries[];
  /** `stacked` only for parts of a whole. */
  readonly kind?: 'lines' | 'stacked';
  readonly format: (value: number) => string;
  readonly height?: number;
  /** Dragging across chooses a time; the page puts it into its URL. */
  readonly onZoom?: (from: Date, to: Date) => void;
  /** What happened meanwhile. The page lists it too (`AnnotationList`): a drawing alone is read by nobody. */
  readonly marks?: readonly ChartAnnotation[];
  /** Of the times it shows; the browser's unless given. */
  readonly zone?: string;
  /** Each interval is a day of that zone. */
  readonly isDaily?: boolean;
  /** Where the last interval ends, in milliseconds. */
  readonly until?: number;
}

/** A chart over time, with the same numbers as a table behind it; where Floe was not there it is hatched. */
export function Chart(given: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const { label, at, height = 180 } = given;
  const away = useGaps(at);
  const series = useMemo(
    () => given.series.map((one) => ({ ...one, values: nullifyZerosInGaps(one.values, away) })),
    [given.series, away],
  );
  const props = { ...given, series };
  return (
    <figure aria-label={label} className="min-w-0">
      {asTable ? (
        <ChartTable {...props} />
      ) : (
        <div role="img" aria-label={sentence(props, away)} style={{ height }}>
          <Canvas {...props} away={away} height={height} />
        </div>
      )}
      <figcaption className="flex justify-end">
        <button
          type="button"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
          className="min-h-6 text-small text-ink-3 underlined hover:text-ink"
        >
          {asTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
    </figure>
  );
}

/** Rows at once: ten thousand of them would freeze the page. */
const TABLE_ROWS = 200;

function ChartTable(props: ChartProps) {
  const { label, at, series, format, height = 180, onZoom } = props;
  const [rows, setRows] = useState(TABLE_ROWS);
  return (
    <ScrollArea className="overflow-auto" style={{ maxHeight: Math.max(height, 240) }}>
      <table className="w-full text-left text-small figures">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-surface text-ink-2">
          <tr>
            <th scope="col" className="py-1 pr-4 font-medium">
              Time
            </th>
            {series.map(({ label: name }) => (
              <th key={name} scope="col" className="py-1 pr-4 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.slice(0, rows).map((moment, index) => (
            <tr key={moment} className="border-t border-line">
              <th scope="row" className="py-0.5 pr-4 font-normal whitespace-nowrap">
                {onZoom ? (
                  <button
                    type="button"
                    title="Zoom in on this interval"
                    onClick={() => onZoom(new Date(moment), new Date(computeIntervalEnd(props, index)))}
                    className="min-h-6 hover:underline"
                  >
                    {intervalLabel(props, index)}
                  </button>
                ) : (
                  intervalLabel(props, index)
                )}
              </th>
              {series.map(({ label: name, values }) => (
                <td key={name} className="py-0.5 pr-4 text-right">
                  {shown(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {at.length > rows && (
        <button
          type="button"
          onClick={() => setRows(rows + TABLE_ROWS)}
          className="min-h-6 text-small text-accent-ink underline"
        >
          Show {at.length - rows} more
        </button>
      )}
    </ScrollArea>
  );
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

/** Least, most and last of the first series: what a glance would tell. */
function sentence({ label, series, format, marks = [] }: ChartProps, away: readonly GapSpan[]): string {
  const known = (series[0]?.values ?? []).filter((value) => value !== null);
  const missed = away.reduce((sum, { ms }) => sum + ms, 0);
  const unknown = missed === 0 ? '' : ` Unknown for ${formatDuration(missed)}: Floe was not running.`;
  if (known.length === 0) return `${label}: no data.${unknown}`;
  const [least, most] = [Math.min(...known), Math.max(...known)].map(format);
  const marked = marks.length === 0 ? '' : ` ${pluralize(marks.length, 'event')}, listed below.`;
  return `${label}: between ${least} and ${most}, last ${shown(known.at(-1), format)}.${marked}${unknown}`;
}
