import { NAVIGATION_GROUPS } from './page-index.ts';
import { useShortcuts } from './shortcuts.ts';
import { useOrgNavigate } from './use-org-navigate.ts';

/** Registers the keyboard shortcuts that work on all pages. */
export function GlobalShortcuts({
  onPalette,
  onHelp,
}: {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}) {
  const go = useOrgNavigate();
  const places = NAVIGATION_GROUPS.flatMap(({ entries }) => entries).filter(({ key }) => key);
  useShortcuts([
    { keys: 'mod+k', does: 'Search', run: onPalette },
    { keys: '?', does: 'Show keyboard shortcuts', run: onHelp },
    { keys: '/', does: 'Filter the list', run: () => focus('[data-filter]') },
    { keys: 't', does: 'Change the time range', run: () => focus('[data-time-range]', true) },
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
