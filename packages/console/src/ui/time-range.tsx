import { Calendar, ChevronDown, Clock } from 'lucide-react';
import { useState } from 'react';
import { PRESETS, rangeName, spanLabel, type TimeSpan } from '../filters/time-range.ts';
import { browserZone, day, shortTime, zoneName } from '../format/moments.ts';
import { Button } from './button.tsx';
import { Field, Input } from './field.tsx';
import { Popover } from './popover.tsx';

export interface TimeRangeChoice {
  readonly range: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** The time a page shows: presets, a typed length, or from and to. Its resolved times stand beside it with their zone. */
export function TimeRange({
  span,
  onChange,
}: {
  readonly span: TimeSpan;
  readonly onChange: (choice: TimeRangeChoice) => void;
}) {
  const [open, setOpen] = useState(false);
  const choose = (choice: TimeRangeChoice) => {
    onChange(choice);
    setOpen(false);
  };
  const label = spanLabel(span);
  const trigger = (
    <Button icon={label === null ? Calendar : Clock} data-time-range="" className="max-md:px-2.5">
      {label && <span className="font-medium">{label}</span>}
      <span className={label ? 'text-ink-2 max-xl:hidden' : ''}>{resolved(span)}</span>
      <ChevronDown size={16} className="text-ink-3" />
    </Button>
  );
  return (
    <Popover label="Time range" trigger={trigger} open={open} onOpenChange={setOpen}>
      <div className="grid w-72 gap-3">
        <div className="grid grid-cols-2 gap-1">
          {PRESETS.map(([range, text]) => (
            <Button
              key={range}
              look="quiet"
              aria-pressed={span.range === range}
              onClick={() => choose({ range, from: null, to: null })}
              className="justify-start aria-pressed:bg-accent-tint aria-pressed:text-accent-ink"
            >
              {text}
            </Button>
          ))}
        </div>
        <TypedRange onChange={choose} />
        <FromTo span={span} onChange={choose} />
      </div>
    </Popover>
  );
}

function TypedRange({ onChange }: { readonly onChange: (choice: TimeRangeChoice) => void }) {
  const [text, setText] = useState('');
  const name = rangeName(text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name) onChange({ range: name, from: null, to: null });
      }}
    >
      <Field
        label="Last"
        error={text !== '' && name === null ? 'Write a number and m, h, d or w: 45m, 3d.' : null}
      >
        <Input value={text} placeholder="45m, 3d" onChange={({ target }) => setText(target.value)} />
      </Field>
    </form>
  );
}

function FromTo({
  span,
  onChange,
}: {
  readonly span: TimeSpan;
  readonly onChange: (choice: TimeRangeChoice) => void;
}) {
  const [from, setFrom] = useState(local(span.from));
  const [to, setTo] = useState(local(span.to));
  const [start, end] = [new Date(from), new Date(to)];
  const error = start < end ? null : 'The end must come after the beginning.';
  return (
    <form
      className="grid gap-2 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!error) onChange({ range: null, from: start.toISOString(), to: end.toISOString() });
      }}
    >
      <Field label={`From (${browserZone()})`}>
        <Input type="datetime-local" value={from} onChange={({ target }) => setFrom(target.value)} />
      </Field>
      <Field label="To" error={error}>
        <Input type="datetime-local" value={to} onChange={({ target }) => setTo(target.value)} />
      </Field>
      <Button type="submit">Show this time</Button>
    </form>
  );
}

/** As `datetime-local` wants it: the browser's zone, no zone written. */
function local(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function resolved({ from, to }: TimeSpan): string {
  const zone = browserZone();
  const now = new Date();
  const days = [day(from, zone, now), day(to, zone, now)] as const;
  const clocks = [shortTime(from, zone), shortTime(to, zone)] as const;
  const name = zoneName(to, zone);
  if (to.getTime() - from.getTime() > 86_400_000) return `${days[0]}–${days[1]} ${name}`;
  if (days[0] === days[1]) return `${clocks[0]}–${clocks[1]} ${name}`;
  return `${days[0]} ${clocks[0]}–${days[1]} ${clocks[1]} ${name}`;
}
