import { createContext, useContext } from 'react';

interface ShellActions {
  readonly openMenu: () => void;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const nothing = () => undefined;

/**
 * The functions that open the menu, the command palette and the shortcut help. Pages read them with
 * `useAppShell`.
 */
export const AppShellContext = createContext<ShellActions>({
  openMenu: nothing,
  openPalette: nothing,
  openHelp: nothing,
});

/** Returns the functions that open the menu, the command palette and the shortcut help. */
export function useAppShell(): ShellActions {
  return useContext(AppShellContext);
}
