import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Keyboard, LogOut, Monitor, Moon, Rows3, Sun } from 'lucide-react';
import { useState } from 'react';
import { sendJson } from '../data/api-client.ts';
import { discardPlaygroundState } from '../data/created-keys.ts';
import { useSignedInSession } from '../data/session.ts';
import { MenuCheckboxItem, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { showToast } from '../ui/toast.tsx';
import { useAppShell } from './app-shell-context.ts';
import { getRowDensity, setRowDensity, setTheme, type Theme } from './appearance.ts';

/** The content of the account menu. Its code is loaded when the menu is opened. */
export function AccountMenuItems() {
  const { user } = useSignedInSession();
  const { openHelp } = useAppShell();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [density, setShown] = useState(getRowDensity);
  const leave = () =>
    signOut(client).then(
      () => navigate({ to: '/sign-in' }),
      (error: unknown) => showToast(error instanceof Error ? error.message : 'Could not sign out.'),
    );
  return (
    <>
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
    </>
  );
}

/** Ends the session, and discards what the console holds for the user. */
async function signOut(client: QueryClient): Promise<void> {
  await sendJson('DELETE', 'api/session');
  discardPlaygroundState();
  client.clear();
}

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly icon: typeof Sun }[] = [
  { theme: 'system', label: 'System theme', icon: Monitor },
  { theme: 'light', label: 'Light theme', icon: Sun },
  { theme: 'dark', label: 'Dark theme', icon: Moon },
];
