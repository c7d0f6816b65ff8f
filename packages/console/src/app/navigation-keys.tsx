import { useNavigate } from '@tanstack/react-router';
import { GROUPS } from './page-index.ts';
import { useShortcuts } from './shortcuts.ts';
import { useOrgId } from './url-state.ts';

/** The keys that work on every page. */
export function NavigationKeys({
  onPalette,
  onHelp,
}: {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}) {
  const navigate = useNavigate();
  const org = useOrgId();
  const places = GROUPS.flatMap(({ entries }) => entries).filter(({ key }) => key);
  useShortcuts([
    { keys: 'mod+k', does: 'Search or jump to', run: onPalette },
    { keys: '?', does: 'Keys of this page', run: onHelp },
    { keys: '/', does: 'Filter', run: () => focus('[data-filter]') },
    { keys: 't', does: 'Time range', run: () => focus('[data-time-range]', true) },
    ...places.map(({ key, label, path }) => ({
      keys: `g ${key}`,
      does: `Go to ${label}`,
      run: () => void navigate({ to: `/o/${org}${path}` }),
    })),
  ]);
  return null;
}

function focus(selector: string, press = false): void {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  if (press) element?.click();
}
