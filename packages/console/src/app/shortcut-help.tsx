import { Dialog } from '../ui/dialog.tsx';
import { KeyboardKey } from '../ui/keyboard-key.tsx';
import { useActiveShortcuts } from './shortcuts.ts';

/** The keys that do something on this page. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = useActiveShortcuts();
  return (
    <Dialog open onClose={onClose} title="Keys of this page">
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
