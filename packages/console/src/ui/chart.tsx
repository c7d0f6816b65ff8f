import { useMemo, useState } from 'react';
import type { ChartAnnotation } from '../data/chart-annotation.ts';
import { useGaps } from '../data/gaps.ts';
import { formatDuration } from '../format/amounts.ts';
import { type GapSpan, replaceZerosInGapsWithNull } from '../format/gap-spans.ts';
import { formatCountWithNoun } from '../format/words.ts';
import { listSeriesColors } from './chart-colors.ts';
import { computeIntervalEnd, formatIntervalLabel } from './chart-intervals.ts';
import { Skeleton } from './feedback.tsx';
import { createLazyComponent } from './lazy-component.tsx';
import { ScrollArea } from './scroll-area.tsx';

const Canvas = createLazyComponent(
  () => import('./chart-canvas.tsx').then(({ ChartCanvas }) => ChartCanvas),
  () => <Skeleton className="h-full w-full" />,
);
// Load the canvas code while the data is still loading.
Canvas.load();

/** A series of values in a chart. */
export interface PlottedSeries {
  readonly label: string;
  /** One value per interval. Null is a gap, which differs from 0. */
  readonly values: readonly (number | null)[];
  /** Marks the previous period, drawn dashed in the color of the series before it. */
  readonly compare?: boolean;
}

/** The props of a `Chart`. */
export interface ChartProps {
  /** What the chart shows. Used as the heading of the table and by screen readers. */
  readonly label: string;
  /** Start of each interval, in milliseconds since the epoch. */
  readonly at: readonly number[];
  readonly series: readonly PlottedSeries[];
  /** Use `stacked` only for parts of a whole. */
  readonly kind?: 'lines' | 'stacked';
  readonly format: (value: number) => string;
  readonly height?: number;
  /**
   * Called when the user drags across the chart to select a time range. The page writes the range to its URL.
   */
  readonly onZoom?: (from: Date, to: Date) => void;
  /**
   * Events to mark on the chart. The page also lists them with `AnnotationList`, because screen readers
   * cannot read a drawing.
   */
  readonly marks?: readonly ChartAnnotation[];
  /** Time zone of the displayed times. Defaults to the browser’s time zone. */
  readonly zone?: string;
  /** Whether each interval is a day in the time zone `zone`. */
  readonly isDaily?: boolean;
  /** End of the last interval, in milliseconds since the epoch. */
  readonly until?: number;
}

/**
 * Renders a chart over time. The user can switch to a table with the same numbers. Time spans in which Floe was
 * not running are hatched.
 */
export function Chart(ownProps: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const { label, at, height = 180 } = ownProps;
  const away = useGaps(at);
  const series = useMemo(
    () => ownProps.series.map((one) => ({ ...one, values: replaceZerosInGapsWithNull(one.values, away) })),
    [ownProps.series, away],
  );
  const props = { ...ownProps, series };
  return (
    <figure aria-label={label} className="min-w-0">
      {asTable ? (
        <ChartTable {...props} />
      ) : (
        <div role="img" aria-label={sentence(props, away)} style={{ height }}>
          <Canvas {...props} away={away} height={height} />
        </div>
      )}
      <figcaption className="flex flex-wrap items-center justify-end gap-x-4">
        {series.length > 1 && <ChartLegend series={series} kind={props.kind ?? 'lines'} />}
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

/** Lists the series with their colors. A previous period is drawn as a dashed line. */
function ChartLegend({ series, kind }: Required<Pick<ChartProps, 'series' | 'kind'>>) {
  const colors = listSeriesColors(series, kind);
  return (
    <ul className="mr-auto flex flex-wrap gap-x-4 text-small text-ink-2">
      {series.map(({ label, compare }, index) => (
        <li key={label} className="flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className="size-2.5 shrink-0 rounded-[2px]"
            style={
              compare
                ? { border: `1px dashed var(--color-${colors[index]})` }
                : { background: `var(--color-${colors[index]})` }
            }
          />
          {label}
        </li>
      ))}
    </ul>
  );
}

/** Maximum number of table rows to render at once. Rendering thousands would freeze the page. */
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
                    {formatIntervalLabel(props, index)}
                  </button>
                ) : (
                  formatIntervalLabel(props, index)
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
          Show {Math.min(TABLE_ROWS, at.length - rows)} more
        </button>
      )}
    </ScrollArea>
  );
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

/** Describes the minimum, the maximum and the last value of the first series in a sentence. */
function sentence({ label, series, format, marks = [] }: ChartProps, away: readonly GapSpan[]): string {
  const known = (series[0]?.values ?? []).filter((value) => value !== null);
  const missed = away.reduce((sum, { ms }) => sum + ms, 0);
  const unknown = missed === 0 ? '' : ` Unknown for ${formatDuration(missed)}: Floe could not accept beats.`;
  if (known.length === 0) return `${label}: no data.${unknown}`;
  const [least, most] = [Math.min(...known), Math.max(...known)].map(format);
  const marked = marks.length === 0 ? '' : ` ${formatCountWithNoun(marks.length, 'event')}, listed below.`;
  return `${label}: between ${least} and ${most}, last ${shown(known.at(-1), format)}.${marked}${unknown}`;
}
