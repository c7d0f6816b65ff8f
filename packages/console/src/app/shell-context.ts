import { createContext, useContext } from 'react';

interface ShellActions {
  readonly openMenu: () => void;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const nothing = () => undefined;

export const ShellContext = createContext<ShellActions>({
  openMenu: nothing,
  openPalette: nothing,
  openHelp: nothing,
});

/** Returns the actions that the surrounding shell offers to pages. */
export function useShell(): ShellActions {
  return useContext(ShellContext);
}
