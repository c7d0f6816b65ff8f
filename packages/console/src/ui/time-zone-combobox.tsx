import { browserZone } from '../format/times.ts';
import { Combobox } from './combobox.tsx';

/** The reader's own zone first: it is the one most people mean. */
const ZONES = [...new Set([browserZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
  value: zone,
  label: zone,
}));

/** A time zone by its name. Inside a `Field`. */
export function TimeZoneCombobox({
  value,
  onChange,
  none,
}: {
  readonly value: string;
  readonly onChange: (zone: string) => void;
  /** What an empty one means, where it may be empty. */
  readonly none?: string;
}) {
  const choices = none === undefined ? ZONES : [{ value: '', label: none }, ...ZONES];
  return <Combobox choices={choices} value={value} onChange={onChange} placeholder="Search time zones" />;
}
