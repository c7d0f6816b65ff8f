import { NAVIGATION_GROUPS } from './page-index.ts';
import { useShortcuts } from './shortcuts.ts';
import { useOrgNavigate } from './use-org-navigate.ts';

/** The keys that work on every page. */
export function NavigationKeys({
  onPalette,
  onHelp,
}: {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}) {
  const go = useOrgNavigate();
  const places = NAVIGATION_GROUPS.flatMap(({ entries }) => entries).filter(({ key }) => key);
  useShortcuts([
    { keys: 'mod+k', does: 'Search or jump to', run: onPalette },
    { keys: '?', does: 'Keys of this page', run: onHelp },
    { keys: '/', does: 'Filter', run: () => focus('[data-filter]') },
    { keys: 't', does: 'Time range', run: () => focus('[data-time-range]', true) },
    ...places.map(({ key, label, path }) => ({
      keys: `g ${key}`,
      does: `Go to ${label}`,
      run: () => go(path),
    })),
  ]);
  return null;
}

function focus(selector: string, press = false): void {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  if (press) element?.click();
}
