import type uPlot from 'uplot';
import { type ChartAnnotation, clusterAnnotations } from '../data/chart-annotation.ts';

/** Annotations that are closer together than this, in pixels, are drawn as one mark with their number. */
const APART = 14;

/**
 * Draws annotations over a chart. Each is a dashed line with a triangle at its top, in the color of its status.
 * Annotations that would overlap are drawn as one mark with their number.
 */
export function drawAnnotations(
  plot: uPlot,
  marks: readonly ChartAnnotation[],
  colour: (name: string) => string,
): void {
  const { ctx, bbox, scales } = plot;
  const [from = 0, to = 0] = [scales['x']?.min, scales['x']?.max].map((second) => (second ?? 0) * 1000);
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.lineWidth = ratio;
  for (const group of clusterAnnotations(marks, from, to, bbox.width / (APART * ratio))) {
    const first = group[0];
    if (!first) continue;
    const x = Math.round(plot.valToPos(first.at / 1000, 'x', true));
    const states = new Set(group.map(({ state }) => state));
    const ink = colour(states.has('failing') ? 'failing' : states.has('healthy') ? 'healthy' : 'ink-3');
    ctx.strokeStyle = ink;
    ctx.fillStyle = ink;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const size = 5 * ratio;
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + size * 1.6);
    ctx.fill();
    if (group.length > 1) ctx.fillText(String(group.length), x + size + 2 * ratio, bbox.top);
  }
  ctx.restore();
}

/** Returns the texts of the annotations in the interval at `index`. */
export function describeAnnotationsAt(
  marks: readonly ChartAnnotation[],
  at: readonly number[],
  index: number,
): readonly string[] {
  const from = at[index] ?? Number.POSITIVE_INFINITY;
  const to = at[index + 1] ?? Number.POSITIVE_INFINITY;
  return marks.filter((mark) => mark.at >= from && mark.at < to).map(({ text }) => text);
}
