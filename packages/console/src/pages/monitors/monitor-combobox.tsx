import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useDebounced } from '../../data/debounced.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { getCachedMonitorOptions, monitorNamesQuery, monitorOptionsQuery } from './monitor-data.ts';

const PAUSE_MS = 150;

/** Adds one of the org's monitors, of which there may be thousands: typing asks the server. Inside a `Field`. */
export function MonitorCombobox({
  chosen,
  onAdd,
  placeholder,
}: {
  readonly chosen: readonly string[];
  readonly onAdd: (id: string) => void;
  readonly placeholder: string;
}) {
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed.trim(), PAUSE_MS);
  useQuery(monitorOptionsQuery(search));
  // A late answer to an earlier search must not remove an option that matches the text.
  const found = getCachedMonitorOptions(useQueryClient());
  return (
    <Combobox
      choices={found.filter(({ value }) => !chosen.includes(value))}
      value=""
      placeholder={placeholder}
      onType={setTyped}
      onChange={(id) => {
        setTyped('');
        onAdd(id);
      }}
    />
  );
}

/** The name of a monitor by its id; the id itself until the name is known, or where there is none. */
export function useMonitorNames(ids: readonly string[]): (id: string) => string {
  const { data } = useQuery({ ...monitorNamesQuery(ids), enabled: ids.length > 0 });
  return (id) => data?.get(id) ?? id;
}
