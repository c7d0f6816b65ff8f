import { Calendar, ChevronDown, Clock } from 'lucide-react';
import type { ComponentProps } from 'react';
import { formatTimeRangeLabel, type SelectedTimeRange } from '../filters/time-range.ts';
import { formatShortDate, formatShortTime, formatTimeZoneName, getBrowserTimeZone } from '../format/times.ts';
import { Button } from './button.tsx';

/** Renders a button with the selected time range. The parent decides what the button opens. */
export function TimeRangeButton({
  span,
  ...props
}: ComponentProps<'button'> & { readonly span: SelectedTimeRange }) {
  const label = formatTimeRangeLabel(span);
  return (
    <Button {...props} icon={label === null ? Calendar : Clock} data-time-range="" className="max-md:px-2.5">
      {label && <span className="font-medium">{label}</span>}
      <span className={label ? 'text-ink-2 max-xl:hidden @max-3xl:hidden' : ''}>{resolved(span)}</span>
      <ChevronDown size={16} className="text-ink-3" />
    </Button>
  );
}

function resolved({ from, to }: SelectedTimeRange): string {
  const zone = getBrowserTimeZone();
  const now = new Date();
  const days = [formatShortDate(from, zone, now), formatShortDate(to, zone, now)] as const;
  const clocks = [formatShortTime(from, zone), formatShortTime(to, zone)] as const;
  const name = formatTimeZoneName(to, zone);
  if (to.getTime() - from.getTime() > 86_400_000) return `${days[0]}–${days[1]} ${name}`;
  if (days[0] === days[1]) return `${clocks[0]}–${clocks[1]} ${name}`;
  return `${days[0]} ${clocks[0]}–${days[1]} ${clocks[1]} ${name}`;
}
