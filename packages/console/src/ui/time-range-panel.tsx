import { useState } from 'react';
import {
  normalizeRelativeTimeRange,
  type SelectedTimeRange,
  TIME_RANGE_PRESETS,
} from '../filters/time-range.ts';
import { getBrowserTimeZone } from '../format/times.ts';
import { Button } from './button.tsx';
import { Field, Input } from './field.tsx';
import type { TimeRangeUrlParameters } from './time-range-picker.tsx';

/**
 * Renders the controls that select a time range: presets, a field for a duration, and fields for a start and an
 * end.
 */
export function TimeRangePanel({
  span,
  onChoose,
}: {
  readonly span: SelectedTimeRange;
  readonly onChoose: (choice: TimeRangeUrlParameters) => void;
}) {
  return (
    <div className="grid w-72 gap-3">
      <div className="grid grid-cols-2 gap-1">
        {TIME_RANGE_PRESETS.map(([range, text]) => (
          <Button
            key={range}
            look="quiet"
            aria-pressed={span.range === range}
            onClick={() => onChoose({ range, from: null, to: null })}
            className="justify-start aria-pressed:bg-accent-tint aria-pressed:text-accent-ink"
          >
            {text}
          </Button>
        ))}
      </div>
      <TypedRange onChange={onChoose} />
      <FromTo span={span} onChange={onChoose} />
    </div>
  );
}

function TypedRange({ onChange }: { readonly onChange: (choice: TimeRangeUrlParameters) => void }) {
  const [text, setText] = useState('');
  const name = normalizeRelativeTimeRange(text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name) onChange({ range: name, from: null, to: null });
      }}
    >
      <Field
        label="Custom duration"
        error={
          text !== '' && name === null ? 'Enter a number and a unit: m, h, d or w. Examples: 45m, 3d.' : null
        }
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
  readonly span: SelectedTimeRange;
  readonly onChange: (choice: TimeRangeUrlParameters) => void;
}) {
  const [from, setFrom] = useState(local(span.from));
  const [to, setTo] = useState(local(span.to));
  const [start, end] = [new Date(from), new Date(to)];
  const error = start < end ? null : 'The end must be after the start.';
  return (
    <form
      className="grid gap-2 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!error) onChange({ range: null, from: start.toISOString(), to: end.toISOString() });
      }}
    >
      <Field label={`From (${getBrowserTimeZone()})`}>
        <Input type="datetime-local" value={from} onChange={({ target }) => setFrom(target.value)} />
      </Field>
      <Field label={`To (${getBrowserTimeZone()})`} error={error}>
        <Input type="datetime-local" value={to} onChange={({ target }) => setTo(target.value)} />
      </Field>
      <Button type="submit">Apply time range</Button>
    </form>
  );
}

/** Formats a time for `datetime-local`: in the browser’s time zone, without an offset. */
function local(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
