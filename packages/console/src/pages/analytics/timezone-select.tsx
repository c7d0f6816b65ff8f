import { useQuery } from '@tanstack/react-query';
import { orgQuery } from '../../data/org.ts';
import { browserZone } from '../../format/times.ts';
import { Select } from '../../ui/field.tsx';

/** What the API is asked for: null is the org's own. `tz=browser` is whatever zone the reader is in. */
export function resolveTimezone(tz: string | null): string | null {
  return tz === 'browser' ? browserZone() : tz;
}

/** Whose days are shown: those of the org, of UTC, or of the reader. A link may name any other. */
export function TimezoneSelect({
  tz,
  onChange,
}: {
  readonly tz: string | null;
  readonly onChange: (tz: string | null) => void;
}) {
  const { data } = useQuery({ ...orgQuery, staleTime: 60_000 });
  const org = data?.body.timezone;
  const choices = [
    { value: '', label: org ? `${org} (organization)` : 'The organization’s zone' },
    { value: 'UTC', label: 'UTC' },
    { value: 'browser', label: `${browserZone()} (this browser)` },
  ];
  const isKnown = tz === null || choices.some(({ value }) => value === tz);
  return (
    <Select
      aria-label="Days of"
      className="w-60!"
      choices={isKnown ? choices : [...choices, { value: tz, label: tz }]}
      value={tz ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}
