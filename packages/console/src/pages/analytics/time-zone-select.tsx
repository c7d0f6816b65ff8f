import { useQuery } from '@tanstack/react-query';
import { orgQuery } from '../../data/org.ts';
import { getBrowserTimeZone } from '../../format/times.ts';
import { Select } from '../../ui/field.tsx';
import { analyticsText } from './text.ts';

/**
 * Returns the time zone to send to the API for the URL parameter `tz`. The value `browser` selects the time
 * zone of the browser. Returns null for the organization’s time zone.
 */
export function resolveTimeZone(tz: string | null): string | null {
  return tz === 'browser' ? getBrowserTimeZone() : tz;
}

/**
 * Renders a control that selects the time zone in which days start: the organization’s, UTC or the browser’s. A
 * URL can contain any other time zone.
 */
export function TimeZoneSelect({
  tz,
  onChange,
}: {
  readonly tz: string | null;
  readonly onChange: (tz: string | null) => void;
}) {
  const { data } = useQuery({ ...orgQuery, staleTime: 60_000 });
  const org = data?.body.timezone;
  const choices = [
    {
      value: '',
      label: org
        ? analyticsText.controls.organizationZone(org)
        : analyticsText.controls.unknownOrganizationZone,
    },
    { value: 'UTC', label: 'UTC' },
    { value: 'browser', label: analyticsText.controls.browserZone(getBrowserTimeZone()) },
  ];
  const isKnown = tz === null || choices.some(({ value }) => value === tz);
  return (
    <Select
      aria-label={analyticsText.controls.timezone}
      className="w-60!"
      choices={isKnown ? choices : [...choices, { value: tz, label: tz }]}
      value={tz ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}
