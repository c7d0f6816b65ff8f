import { getBrowserTimeZone } from '../format/times.ts';
import { Combobox } from './combobox.tsx';

/** All time zones. The browser’s time zone comes first because it is the most likely choice. */
const ZONES = [...new Set([getBrowserTimeZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])].map(
  (zone) => ({
    value: zone,
    label: zone,
  }),
);

/** Renders a combobox that selects a time zone by name. Must be inside a `Field`. */
export function TimeZoneCombobox({
  value,
  onChange,
  none,
}: {
  readonly value: string;
  readonly onChange: (zone: string) => void;
  /** Text that explains an empty value. Absent if a value is required. */
  readonly none?: string;
}) {
  const choices = none === undefined ? ZONES : [{ value: '', label: none }, ...ZONES];
  return <Combobox choices={choices} value={value} onChange={onChange} placeholder="Search time zones" />;
}
