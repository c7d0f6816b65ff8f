import { Calendar, ChevronDown, Clock } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { type SelectedTimeRange, timeRangeLabel } from '../filters/time-range.ts';
import { browserZone, formatDayLabel, formatShortTime, formatZoneName } from '../format/times.ts';
import { Button } from './button.tsx';
import { Popover } from './popover.tsx';

/** Not there before somebody opens it. */
const TimeRangePanel = lazy(() =>
  import('./time-range-panel.tsx').then(({ TimeRangePanel: Part }) => ({ default: Part })),
);

export interface TimeRangeSelection {
  readonly range: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** The time a page shows: presets, a typed length, or from and to. Its resolved times stand beside it with their zone. */
export function TimeRangePicker({
  span,
  onChange,
}: {
  readonly span: SelectedTimeRange;
  readonly onChange: (choice: TimeRangeSelection) => void;
}) {
  const [open, setOpen] = useState(false);
  const choose = (choice: TimeRangeSelection) => {
    onChange(choice);
    setOpen(false);
  };
  const label = timeRangeLabel(span);
  const trigger = (
    <Button icon={label === null ? Calendar : Clock} data-time-range="" className="max-md:px-2.5">
      {label && <span className="font-medium">{label}</span>}
      <span className={label ? 'text-ink-2 max-xl:hidden' : ''}>{resolved(span)}</span>
      <ChevronDown size={16} className="text-ink-3" />
    </Button>
  );
  return (
    <Popover label="Time range" trigger={trigger} open={open} onOpenChange={setOpen}>
      <Suspense fallback={<div className="h-96 w-72" />}>
        <TimeRangePanel span={span} onChoose={choose} />
      </Suspense>
    </Popover>
  );
}

function resolved({ from, to }: SelectedTimeRange): string {
  const zone = browserZone();
  const now = new Date();
  const days = [formatDayLabel(from, zone, now), formatDayLabel(to, zone, now)] as const;
  const clocks = [formatShortTime(from, zone), formatShortTime(to, zone)] as const;
  const name = formatZoneName(to, zone);
  if (to.getTime() - from.getTime() > 86_400_000) return `${days[0]}–${days[1]} ${name}`;
  if (days[0] === days[1]) return `${clocks[0]}–${clocks[1]} ${name}`;
  return `${days[0]} ${clocks[0]}–${days[1]} ${clocks[1]} ${name}`;
}
