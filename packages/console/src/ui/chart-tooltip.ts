import type uPlot from 'uplot';

/** A series of the chart that the tooltip describes. */
export interface TooltipSeries {
  readonly label: string;
  /** A CSS color. Absent for a line that only has a name. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

/**
 * Creates the tooltip of a chart, which describes the interval under the pointer. The tooltip changes the DOM
 * directly, because it updates on every pointer movement.
 */
export function createChartTooltip(
  series: readonly TooltipSeries[],
  {
    format,
    title,
    marks,
  }: {
    readonly format: (value: number) => string;
    /** Returns the title of the interval at `index`. */
    readonly title: (index: number) => string;
    /** Returns the texts of the annotations in the interval at `index`. */
    readonly marks: (index: number) => readonly string[];
  },
): { readonly element: HTMLElement; readonly move: (plot: uPlot) => void } {
  const element = document.createElement('div');
  element.className =
    'pointer-events-none absolute z-30 hidden max-w-72 rounded-control border border-line-strong bg-raised px-2 py-1.5 text-small text-ink shadow-popover figures';
  const move = (plot: uPlot) => {
    const { idx, left = -1, top = -1 } = plot.cursor;
    if (typeof idx !== 'number' || left < 0) {
      element.style.display = 'none';
      return;
    }
    const lines = series.flatMap(({ label, colour, values }) => {
      const value = values[idx];
      return value === null || value === undefined ? [] : [line(label, format(value), colour)];
    });
    element.replaceChildren(heading(title(idx)), ...lines, ...marks(idx).map(heading));
    element.style.display = 'block';
    // Show the tooltip on the side of the pointer that has room.
    const room = plot.over.clientWidth - left;
    element.style.left = room < element.offsetWidth + 24 ? '' : `${plot.over.offsetLeft + left + 12}px`;
    element.style.right = room < element.offsetWidth + 24 ? `${room + 12}px` : '';
    element.style.top = `${Math.max(0, Math.min(top, plot.over.clientHeight - element.offsetHeight))}px`;
  };
  return { element, move };
}

function heading(text: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'text-ink-2';
  element.textContent = text;
  return element;
}

function line(label: string, value: string, colour: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'flex items-center gap-2';
  const mark = document.createElement('span');
  mark.className = 'size-2 shrink-0 rounded-[2px]';
  mark.style.background = colour;
  const name = document.createElement('span');
  name.className = 'min-w-0 flex-1 truncate';
  name.textContent = label;
  const figure = document.createElement('span');
  figure.className = 'font-medium';
  figure.textContent = value;
  element.append(mark, name, figure);
  return element;
}
