import { createContext, useContext } from 'react';

interface ShellActions {
  readonly openMenu: () => void;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const nothing = () => undefined;

/** The actions of the application shell (navigation and header), which pages read with `useShell`. */
export const ShellContext = createContext<ShellActions>({
  openMenu: nothing,
  openPalette: nothing,
  openHelp: nothing,
});

/** Returns the functions with which pages open the menu, the command palette and the shortcut help. */
export function useShell(): ShellActions {
  return useContext(ShellContext);
}
