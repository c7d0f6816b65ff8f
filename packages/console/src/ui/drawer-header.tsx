import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';

/** Renders the header of a drawer, with its title and a close button. */
export function DrawerHeader({
  title,
  children,
  onClose,
}: {
  readonly title: ReactNode;
  /** A line below the title. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  return (
    <header className="flex items-start gap-2 border-b border-line px-4 py-3 md:px-6">
      <div className="min-w-0 flex-1">
        <h2 className="text-body font-semibold break-words">{title}</h2>
        {children && <div className="text-ui text-ink-2">{children}</div>}
      </div>
      <IconButton
        icon={X}
        label="Close"
        keys="Esc"
        onClick={onClose}
        className="-mt-1 pointer-coarse:-my-2.5"
      />
    </header>
  );
}
