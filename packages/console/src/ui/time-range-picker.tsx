import { lazy, Suspense, useState } from 'react';
import type { SelectedTimeRange } from '../filters/time-range.ts';
import { Popover } from './popover.tsx';
import { TimeRangeButton } from './time-range-button.tsx';

/** Loaded when the user first opens it. */
const TimeRangePanel = lazy(() =>
  import('./time-range-panel.tsx').then(({ TimeRangePanel: Part }) => ({ default: Part })),
);

/** The selected time range as URL parameters: either `range`, or `from` and `to`. */
export interface TimeRangeUrlParameters {
  readonly range: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Selects the time range of a page: a preset, a typed duration, or a start and an end. Shows the resulting
 * start and end with their time zone.
 */
export function TimeRangePicker({
  span,
  onChange,
}: {
  readonly span: SelectedTimeRange;
  readonly onChange: (choice: TimeRangeUrlParameters) => void;
}) {
  const [open, setOpen] = useState(false);
  const choose = (choice: TimeRangeUrlParameters) => {
    onChange(choice);
    setOpen(false);
  };
  return (
    <Popover label="Time range" trigger={<TimeRangeButton span={span} />} open={open} onOpenChange={setOpen}>
      <Suspense fallback={<div className="h-96 w-72" />}>
        <TimeRangePanel span={span} onChoose={choose} />
      </Suspense>
    </Popover>
  );
}
