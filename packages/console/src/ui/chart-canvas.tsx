import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { GapSpan } from '../format/gap-spans.ts';
import { getBrowserTimeZone } from '../format/times.ts';
import type { ChartProps, PlottedSeries } from './chart.tsx';
import { describeAnnotationsAt, drawAnnotations } from './chart-annotations.ts';
import { listSeriesColors } from './chart-colors.ts';
import { getAxisIncrementOptions } from './chart-increments.ts';
import { formatIntervalLabel } from './chart-intervals.ts';
import { stackSeries } from './chart-stack.ts';
import { createChartTooltip } from './chart-tooltip.ts';

interface CanvasProps extends ChartProps {
  readonly height: number;
  /** Time spans that are hatched over the full height of the chart. */
  readonly away: readonly GapSpan[];
}

/** Renders the canvas of a `Chart`. Its code is loaded when the first chart is shown. */
export function ChartCanvas(props: CanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const { at, series, kind = 'lines', height, away, marks, zone, isDaily } = props;
  const latest = useRef(props);
  latest.current = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: data and appearance rebuild the chart; callbacks are read when they are called.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let plot = draw(element, latest.current);
    const redraw = () => {
      plot.destroy();
      plot = draw(element, latest.current);
    };
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    const themed = new MutationObserver(redraw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      themed.disconnect();
      system.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [at, series, kind, height, away, marks, zone, isDaily]);
  return <div ref={place} className="h-full w-full contain-inline-size" />;
}

function draw(element: HTMLElement, props: CanvasProps): uPlot {
  const {
    at,
    series,
    kind = 'lines',
    format,
    height,
    onZoom,
    marks = [],
    zone = getBrowserTimeZone(),
  } = props;
  const colour = colours(element);
  const text = colour('ink-3');
  const base = series.filter(({ compare }) => !compare);
  // The previous period is compared with the total, so it is not part of the stack.
  const sums = kind === 'stacked' ? stackSeries(base.map(({ values }) => values)) : null;
  const shown = series.map((one, index) => (one.compare ? one.values : (sums?.[index] ?? one.values)));
  const strokes = listSeriesColors(series, kind).map(colour);
  const tooltip = createChartTooltip(
    series.map(({ label, values }, index) => ({ label, values, colour: strokes[index] ?? text })),
    {
      format,
      title: (index) => formatIntervalLabel(props, index),
      marks: (index) => describeAnnotationsAt(marks, at, index),
    },
  );
  const options: uPlot.Options = {
    width: element.clientWidth,
    height,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    cursor: {
      sync: { key: 'page' },
      drag: { x: onZoom !== undefined, y: false, setScale: false },
      points: { size: 6 },
    },
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
    axes: axesOf(shown, format, colour),
    hooks: {
      drawClear: [(plot) => hatch(plot, props, colour('unknown'))],
      setSelect: [(plot) => zoom(plot, onZoom)],
      setCursor: [tooltip.move],
      draw: [(plot) => drawAnnotations(plot, marks, colour)],
    },
    series: [{}, ...series.map((one, index) => lookOf(one, strokes[index] ?? text, kind))],
  };
  // The largest sum is drawn first so that the smaller sums cover it. Series drawn as lines come last.
  const order = series.map((_, index) => index);
  if (kind === 'stacked') order.sort((a, b) => rank(series[a], a) - rank(series[b], b));
  options.series = [{}, ...order.map((index) => options.series[index + 1] ?? {})];
  const data = order.map((index) => shown[index] ?? []);
  const plot = new uPlot(options, [at.map((ms) => ms / 1000), ...data.map((values) => [...values])], element);
  plot.root.append(tooltip.element);
  return plot;
}

/** Hatches the time spans without data, below the other layers. */
function hatch(plot: uPlot, { at, away }: CanvasProps, colour: string): void {
  const [first = 0, second = 0] = at;
  const whole = (at.at(-1) ?? 0) + second - first - first;
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { left, width } of away) {
    const from = plot.valToPos((first + left * whole) / 1000, 'x', true);
    const to = plot.valToPos((first + (left + width) * whole) / 1000, 'x', true);
    hatchBox(ctx, { ...bbox, left: from, width: Math.max(2, to - from) });
  }
  ctx.restore();
}

function hatchBox(ctx: CanvasRenderingContext2D, { left, top, width, height }: uPlot.BBox): void {
  const step = 6 * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.beginPath();
  for (let at = left - height; at < left + width; at += step) {
    ctx.moveTo(at, top + height);
    ctx.lineTo(at + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

function lookOf(one: PlottedSeries, stroke: string, kind: 'lines' | 'stacked'): uPlot.Series {
  return {
    label: one.label,
    stroke,
    width: 1.5,
    // A value between two gaps has no line, so it is drawn as a dot.
    points: { show: true, size: 4, fill: stroke, filter: lonePoints },
    ...(one.compare ? { dash: [4, 4], alpha: 0.6 } : {}),
    ...(kind === 'stacked' && !one.compare ? { fill: stroke } : {}),
  };
}

/** Returns the time axis and the value axis of a chart with the given values. */
function axesOf(
  shown: readonly (readonly (number | null)[])[],
  format: (value: number) => string,
  colour: (name: string) => string,
): uPlot.Axis[] {
  const axis = {
    stroke: colour('ink-3'),
    grid: { stroke: colour('grid'), width: 1 },
    ticks: { show: false },
    font: '11px sans-serif',
  };
  const isFlat = !shown.some((values) => values.some((value) => value));
  return [
    { ...axis, values: CLOCK_TICKS.map((tick) => [...tick]) },
    {
      ...axis,
      size: 64,
      ...getAxisIncrementOptions(shown),
      values: (_, ticks) => tickTexts(isFlat ? ticks.slice(0, 1) : ticks, format),
    },
  ];
}

/**
 * Formats of the time axis, with a 24-hour clock: the increment, the text, and the text to add where a new
 * day begins.
 */
const CLOCK_TICKS: readonly (readonly (string | number | null)[])[] = [
  [86_400 * 28, '{MMM} {YYYY}', null, null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', null, null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
];

/** Formats tick values. Omits a text that equals the text before it. */
function tickTexts(ticks: readonly number[], format: (value: number) => string): string[] {
  const texts = ticks.map(format);
  return texts.map((text, index) => (index > 0 && text === texts[index - 1] ? '' : text));
}

/** Returns the indexes of the values with a gap on both sides. */
function lonePoints(plot: uPlot, place: number): number[] {
  const values = plot.data[place] ?? [];
  const isGap = (index: number) => values[index] === null || values[index] === undefined;
  const found: number[] = [];
  for (let index = 0; index < values.length; index += 1)
    if (!isGap(index) && isGap(index - 1) && isGap(index + 1)) found.push(index);
  return found;
}

function rank(series: PlottedSeries | undefined, index: number): number {
  return series?.compare ? index : -1 - index;
}

function zoom(plot: uPlot, onZoom: ChartProps['onZoom']): void {
  const { left, width } = plot.select;
  if (!onZoom || width < 4) return;
  const at = (pixel: number) => new Date(plot.posToVal(pixel, 'x') * 1000);
  onZoom(at(left), at(left + width));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/**
 * Returns a function that resolves CSS color names. A canvas cannot read CSS variables, so an element
 * resolves them.
 */
function colours(element: HTMLElement): (name: string) => string {
  const probe = document.createElement('span');
  probe.hidden = true;
  return (name) => {
    element.append(probe);
    probe.style.color = `var(--color-${name})`;
    const resolved = getComputedStyle(probe).color;
    probe.remove();
    return resolved;
  };
}
