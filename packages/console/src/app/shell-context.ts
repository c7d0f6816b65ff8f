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

/** What pages can ask of the shell around them. */
export function useShell(): ShellActions {
  return useContext(ShellContext);
}
