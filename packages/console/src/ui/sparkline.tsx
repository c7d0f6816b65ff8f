/**
 * Renders a chart of at most 60 values without axes. It is hidden from screen readers, because the text next
 * to it contains the last value.
 */
export function Sparkline({
  values,
  width = 80,
  height = 20,
}: {
  readonly values: readonly (number | null)[];
  readonly width?: number;
  readonly height?: number;
}) {
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known, 0) || 1;
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  let line = '';
  values.forEach((value, index) => {
    if (value === null) return;
    // The line starts again after a gap.
    const starts = index === 0 || values[index - 1] === null;
    line += `${starts ? 'M' : 'L'}${(index * step).toFixed(1)} ${(height - 1 - (value / most) * (height - 2)).toFixed(1)}`;
  });
  return (
    <svg width={width} height={height} aria-hidden="true" className="overflow-visible">
      <path d={line} fill="none" strokeWidth={1.5} className="stroke-series-1" />
    </svg>
  );
}
