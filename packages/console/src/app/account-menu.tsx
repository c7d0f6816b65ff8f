import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Keyboard, LogOut, Monitor, Moon, Rows3, Sun } from 'lucide-react';
import { useState } from 'react';
import { signOut, useSignedInSession } from '../data/session.ts';
import { Menu, MenuCheckboxItem, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { showToast } from '../ui/toast.tsx';
import { getRowDensity, setRowDensity, setTheme, type Theme } from './appearance.ts';
import { LiveUpdateStatus } from './live-update-status.tsx';
import { useShell } from './shell-context.ts';

/**
 * Renders the menu of the signed-in user (appearance, keyboard shortcuts, sign-out) and the state of live
 * updates.
 */
export function AccountMenu({ iconsOnly }: { readonly iconsOnly: boolean }) {
  const { user } = useSignedInSession();
  const { openHelp } = useShell();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [density, setShown] = useState(getRowDensity);
  const name = user.name || user.email;
  const leave = () =>
    signOut(client).then(
      () => navigate({ to: '/sign-in' }),
      (error: unknown) => showToast(error instanceof Error ? error.message : 'Could not sign out.'),
    );
  const trigger = (
    <button
      type="button"
      aria-label={iconsOnly ? `Account: ${name}` : undefined}
      className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-control px-1.5 text-left hover:bg-hover"
    >
      <span
        aria-hidden="true"
        className="grid size-6 shrink-0 place-items-center rounded-full border border-accent-line bg-accent-tint text-micro text-accent-ink"
      >
        {initials(name)}
      </span>
      {!iconsOnly && <span className="truncate text-ui text-ink-2">{name}</span>}
    </button>
  );
  return (
    <div className="flex items-center gap-1 border-t border-line p-2">
      <Menu trigger={trigger} align="start">
        <MenuLabel>{user.email}</MenuLabel>
        <MenuSeparator />
        {THEMES.map(({ theme, label, icon }) => (
          <MenuItem key={theme} icon={icon} onSelect={() => setTheme(theme)}>
            {label}
          </MenuItem>
        ))}
        <MenuCheckboxItem
          checked={density === 'comfortable'}
          onChange={(on) => setShown(setRowDensity(on ? 'comfortable' : 'compact'))}
        >
          <Rows3 size={16} strokeWidth={1.75} className="text-ink-3" /> Comfortable rows
        </MenuCheckboxItem>
        <MenuSeparator />
        <MenuItem icon={Keyboard} keys="?" onSelect={openHelp}>
          Keyboard shortcuts
        </MenuItem>
        <MenuItem icon={LogOut} onSelect={() => void leave()}>
          Sign out
        </MenuItem>
      </Menu>
      {!iconsOnly && <LiveUpdateStatus />}
    </div>
  );
}

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly icon: typeof Sun }[] = [
  { theme: 'system', label: 'System theme', icon: Monitor },
  { theme: 'light', label: 'Light theme', icon: Sun },
  { theme: 'dark', label: 'Dark theme', icon: Moon },
];

function initials(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean);
  return `${words[0]?.[0] ?? ''}${words[1]?.[0] ?? ''}`.toUpperCase();
}
