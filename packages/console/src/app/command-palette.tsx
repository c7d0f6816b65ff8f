import { Command } from 'cmdk';
import { type LucideIcon, Search } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useState } from 'react';
import { ModalContent } from '../ui/dialog.tsx';
import { setTheme } from './appearance.ts';
import { NAVIGATION_GROUPS } from './page-index.ts';
import { useOrgNavigate } from './use-org-navigate.ts';

interface Offer {
  readonly label: string;
  readonly group: string;
  readonly icon: LucideIcon | null;
  readonly run: () => void;
}

/** Renders the search dialog, which finds pages by name and opens a request by its ID. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const offers = useOffers(text.trim());
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <ModalContent
          aria-describedby={undefined}
          className="appear fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-dialog border border-line-strong bg-raised shadow-dialog"
        >
          <Radix.Title className="sr-only">Search</Radix.Title>
          <Command label="Search" filter={holds} vimBindings={false}>
            <div className="flex items-center gap-2 border-b border-line px-3">
              <Search size={16} className="text-ink-3" aria-hidden="true" />
              <Command.Input
                value={text}
                onValueChange={setText}
                placeholder="Search pages or enter a request ID"
                className="h-11 flex-1 bg-transparent text-body outline-none"
              />
            </div>
            <Command.List label="Results" className="max-h-[50dvh] overflow-y-auto p-1.5">
              {offers.map(({ label, group, icon: Icon, run }) => (
                <Command.Item
                  key={`${label} ${group}`}
                  value={`${label} ${group}`}
                  onSelect={() => {
                    onClose();
                    run();
                  }}
                  className="flex min-h-9 items-center gap-2.5 rounded-control px-2 text-ui aria-selected:bg-selected"
                >
                  {Icon && <Icon size={16} strokeWidth={1.75} className="text-ink-3" />}
                  <span className="flex-1">{label}</span>
                  <span className="text-small text-ink-3">{group}</span>
                </Command.Item>
              ))}
            </Command.List>
            <Command.Empty className="p-4 text-ui text-ink-2">No results.</Command.Empty>
          </Command>
        </ModalContent>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Matches parts of names. cmdk’s own ranking would keep its order after the text is cleared. */
function holds(name: string, text: string): number {
  return name.toLowerCase().includes(text.trim().toLowerCase()) ? 1 : 0;
}

function useOffers(id: string): readonly Offer[] {
  const go = useOrgNavigate();
  if (/^exc_[0-9A-Za-z]{6,}$/.test(id))
    return [
      {
        label: `Open ${id}`,
        group: 'Request',
        icon: null,
        run: () => go(`/requests/${id}`),
      },
    ];
  const pages = NAVIGATION_GROUPS.flatMap(({ label: group, entries }) =>
    entries.map(
      ({ label, path, icon }): Offer => ({
        label,
        group: group ?? 'Page',
        icon,
        run: () => go(path),
      }),
    ),
  );
  const looks = (['system', 'light', 'dark'] as const).map(
    (theme): Offer => ({
      label: `Use ${theme} theme`,
      group: 'Setting',
      icon: null,
      run: () => setTheme(theme),
    }),
  );
  return [...pages, ...looks];
}
