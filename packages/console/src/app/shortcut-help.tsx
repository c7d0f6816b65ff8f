import { Dialog } from '../ui/dialog.tsx';
import { KeyboardKey } from '../ui/keyboard-key.tsx';
import { useActiveShortcuts } from './shortcuts.ts';

/** Lists the keyboard shortcuts that are active on the current page. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = useActiveShortcuts();
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <ul className="grid gap-1.5">
        {shortcuts.map(({ keys, does }) => (
          <li key={keys} className="flex items-center justify-between gap-4 text-ui">
            <span>{does}</span>
            <span className="flex gap-1">
              {keys.split(' ').map((key) => (
                <KeyboardKey key={key} spoken>
                  {key.replace('mod+k', 'Ctrl/⌘ K')}
                </KeyboardKey>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
