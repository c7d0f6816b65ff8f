import { Suspense, useState } from 'react';
import { advanceTimeRange, type SelectedTimeRange } from '../filters/time-range.ts';
import { lazyWithFailureNotice } from './lazy-with-failure-notice.tsx';
import { Popover } from './popover.tsx';
import { useCurrentMinute } from './relative-time-text.tsx';
import { TimeRangeButton } from './time-range-button.tsx';

/** Loaded when the user first opens it. */
const TimeRangePanel = lazyWithFailureNotice(() =>
  import('./time-range-panel.tsx').then(({ TimeRangePanel: Part }) => Part),
);

/** The selected time range as URL parameters: either `range`, or `from` and `to`. */
export interface TimeRangeUrlParameters {
  readonly range: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * Renders a button that shows the selected time range and opens a panel. In the panel, the user selects a preset,
 * enters a duration, or enters a start and an end.
 */
export function TimeRangePicker({
  span,
  isRolling = false,
  onChange,
}: {
  readonly span: SelectedTimeRange;
  /** Whether a relative range moves forward as time passes. Otherwise, the button keeps the requested range. */
  readonly isRolling?: boolean;
  readonly onChange: (choice: TimeRangeUrlParameters) => void;
}) {
  const [open, setOpen] = useState(false);
  const minute = useCurrentMinute();
  const shown = isRolling ? advanceTimeRange(span, minute) : span;
  const choose = (choice: TimeRangeUrlParameters) => {
    onChange(choice);
    setOpen(false);
  };
  return (
    <Popover label="Time range" trigger={<TimeRangeButton span={shown} />} open={open} onOpenChange={setOpen}>
      <Suspense fallback={<div className="h-96 w-72" />}>
        <TimeRangePanel span={shown} onChoose={choose} />
      </Suspense>
    </Popover>
  );
}
