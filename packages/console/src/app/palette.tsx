import { type LucideIcon, Search } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, useId, useState } from 'react';
import { OptionList } from '../ui/option-list.tsx';
import { GROUPS } from './page-index.ts';
import { setTheme } from './theme.ts';
import { useGo } from './use-place.ts';

interface Offer {
  readonly label: string;
  readonly group: string;
  readonly icon: LucideIcon | null;
  readonly run: () => void;
}

/** Goes anywhere by name; an id that is pasted opens what it names. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const offers = useOffers(text);
  const chosen = Math.min(at, offers.length - 1);
  const take = (offer: Offer | undefined) => {
    if (!offer) return;
    onClose();
    offer.run();
  };
  function press(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, offers.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') take(offers[chosen]);
    else return;
    event.preventDefault();
  }
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          className="appear fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-dialog border border-line-strong bg-raised shadow-dialog"
        >
          <Radix.Title className="sr-only">Search or jump to</Radix.Title>
          <div className="flex items-center gap-2 border-b border-line px-3">
            <Search size={16} className="text-ink-3" aria-hidden="true" />
            <input
              role="combobox"
              aria-label="Search or jump to"
              aria-expanded={offers.length > 0}
              aria-controls={list}
              {...(offers[chosen] ? { 'aria-activedescendant': `${list}-${chosen}` } : {})}
              value={text}
              placeholder="A page, or the id of a request"
              onChange={({ target }) => {
                setText(target.value);
                setAt(0);
              }}
              onKeyDown={press}
              className="h-11 flex-1 bg-transparent text-body outline-none"
            />
          </div>
          <Offers id={list} offers={offers} chosen={chosen} onTake={take} />
          {offers.length === 0 && <p className="p-4 text-ui text-ink-2">Nothing is called that.</p>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Offers({
  id,
  offers,
  chosen,
  onTake,
}: {
  readonly id: string;
  readonly offers: readonly Offer[];
  readonly chosen: number;
  readonly onTake: (offer: Offer) => void;
}) {
  return (
    <OptionList
      id={id}
      label="Results"
      options={offers}
      at={chosen}
      keyOf={({ group, label }) => `${group} ${label}`}
      onTake={onTake}
      className="relative max-h-[50dvh] overflow-y-auto p-1.5"
      optionClass="flex min-h-9 items-center gap-2.5 rounded-control px-2 text-ui aria-selected:bg-selected"
    >
      {({ icon: Icon, label, group }) => (
        <>
          {Icon && <Icon size={16} strokeWidth={1.75} className="text-ink-3" />}
          <span className="flex-1">{label}</span>
          <span className="text-small text-ink-3">{group}</span>
        </>
      )}
    </OptionList>
  );
}

function useOffers(text: string): readonly Offer[] {
  const go = useGo();
  const wanted = text.trim().toLowerCase();
  const id = text.trim();
  if (/^exc_[0-9A-Za-z]{6,}$/.test(id))
    return [
      {
        label: `Open ${id}`,
        group: 'Request',
        icon: null,
        run: () => go(`/requests/${id}`),
      },
    ];
  const pages = GROUPS.flatMap(({ label: group, entries }) =>
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
      label: `Theme: ${theme}`,
      group: 'Setting',
      icon: null,
      run: () => setTheme(theme),
    }),
  );
  return [...pages, ...looks].filter(({ label, group }) =>
    `${label} ${group}`.toLowerCase().includes(wanted),
  );
}
