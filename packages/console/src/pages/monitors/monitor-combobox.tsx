import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useDebouncedValue } from '../../data/use-debounced-value.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { buildMonitorNamesQuery, buildMonitorOptionsQuery, getCachedMonitorOptions } from './monitor-data.ts';

const PAUSE_MS = 150;

/**
 * Renders a combobox that selects a monitor. The server searches while the user types, because an organization
 * can have thousands of monitors. Must be inside a `Field`.
 */
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
  const search = useDebouncedValue(typed.trim(), PAUSE_MS);
  useQuery(buildMonitorOptionsQuery(search));
  // A late response to an earlier search must not remove an option that matches the text.
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

/**
 * Returns a function that maps a monitor ID to the name of the monitor. The function returns the ID until the
 * name is loaded, and if the monitor does not exist.
 */
export function useMonitorNames(ids: readonly string[]): (id: string) => string {
  const { data } = useQuery({ ...buildMonitorNamesQuery(ids), enabled: ids.length > 0 });
  return (id) => data?.get(id) ?? id;
}
