import { useLocation } from '@tanstack/react-router';
import { PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { joinClassNames } from '../ui/class-names.ts';
import { KeyboardKey } from '../ui/keyboard-key.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { AccountMenu } from './account-menu.tsx';
import { useAppShell } from './app-shell-context.ts';
import type { NavigationEntry } from './navigation.ts';
import { OrgLink } from './org-link.tsx';
import { OrgSwitcher } from './org-switcher.tsx';
import { NAVIGATION_GROUPS } from './page-index.ts';
import { useShortcuts } from './shortcuts.ts';
import { useScrollCurrentLinkIntoView } from './use-scroll-current-link-into-view.ts';

const FOLDED = 'floe.sidebar';

/** Renders the navigation: next to the page, as icons on narrow screens, or over the page on a phone. */
export function Sidebar({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [folded, setFolded] = useState(() => localStorage.getItem(FOLDED) === 'folded');
  const phone = useMediaQuery('(width < 48rem)');
  const narrow = useMediaQuery('(width < 64rem)');
  const iconsOnly = !phone && (folded || narrow);
  const fold = () => {
    localStorage.setItem(FOLDED, folded ? 'open' : 'folded');
    setFolded(!folded);
  };
  useShortcuts([{ keys: '[', does: 'Collapse or expand the sidebar', run: fold }]);
  useEscape(phone && open, onClose);
  const list = useRef<HTMLDivElement>(null);
  useScrollCurrentLinkIntoView(list, useLocation({ select: ({ pathname }) => `${pathname} ${open}` }));
  if (phone && !open) return null;
  return (
    <>
      {phone && <div aria-hidden="true" className="fixed inset-0 z-20 bg-scrim" onClick={onClose} />}
      <nav
        aria-label="Main"
        className={joinClassNames(
          'flex h-full flex-col border-r border-line bg-sunken',
          phone && 'slide-in fixed inset-y-0 left-0 z-30 w-72',
          !phone && (iconsOnly ? 'w-14 shrink-0' : 'w-58 shrink-0'),
        )}
      >
        <div className="flex items-center gap-1 p-2">
          <OrgSwitcher iconsOnly={iconsOnly} />
        </div>
        <SearchButton iconsOnly={iconsOnly} />
        <div ref={list} className="scroll-hint flex-1 overflow-y-auto p-2 pt-1">
          {NAVIGATION_GROUPS.map(({ label, entries }) => (
            <div key={label ?? ''} className="mb-2">
              {label && !iconsOnly && <div className="px-2 pt-2 pb-1 text-label text-ink-3">{label}</div>}
              {entries.map((entry) => (
                <Entry key={entry.path} entry={entry} iconsOnly={iconsOnly} onTaken={onClose} />
              ))}
            </div>
          ))}
        </div>
        {!phone && !narrow && (
          <Tooltip text={folded ? 'Expand sidebar' : 'Collapse sidebar'} keys="[" side="right">
            <button
              type="button"
              aria-label={folded ? 'Expand sidebar' : 'Collapse sidebar'}
              onClick={fold}
              className="m-2 mt-0 grid size-8 place-items-center rounded-control text-ink-3 hover:bg-hover hover:text-ink"
            >
              {folded ? (
                <PanelLeftOpen size={16} strokeWidth={1.75} />
              ) : (
                <PanelLeftClose size={16} strokeWidth={1.75} />
              )}
            </button>
          </Tooltip>
        )}
        <AccountMenu iconsOnly={iconsOnly} />
      </nav>
    </>
  );
}

function SearchButton({ iconsOnly }: { readonly iconsOnly: boolean }) {
  const { openPalette } = useAppShell();
  return (
    <button
      type="button"
      onClick={openPalette}
      aria-label={iconsOnly ? 'Search' : undefined}
      className="mx-2 mb-1 flex h-control items-center gap-2 rounded-control border border-line-strong bg-surface px-2 text-ui text-ink-3 hover:text-ink"
    >
      <Search size={16} strokeWidth={1.75} className={iconsOnly ? 'mx-auto' : ''} />
      {!iconsOnly && (
        <>
          <span className="flex-1 text-left">Search</span>
          <KeyboardKey>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</KeyboardKey>
        </>
      )}
    </button>
  );
}

function Entry({
  entry,
  iconsOnly,
  onTaken,
}: {
  readonly entry: NavigationEntry;
  readonly iconsOnly: boolean;
  /**
   * Called when a link is selected, even the link to the current page, where no URL change would close the
   * menu.
   */
  readonly onTaken: () => void;
}) {
  const { icon: Icon, label, path } = entry;
  const link = (
    <OrgLink
      to={path}
      label={label}
      onClick={onTaken}
      className={joinClassNames(
        'flex h-7 items-center gap-2.5 rounded-control border border-transparent px-2 text-ui text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:h-11',
        'aria-[current=page]:border-line aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:shadow-control',
      )}
    >
      <Icon size={16} strokeWidth={1.75} className={iconsOnly ? 'mx-auto' : ''} aria-hidden="true" />
      {!iconsOnly && label}
    </OrgLink>
  );
  return iconsOnly ? (
    <Tooltip text={label} side="right" keys={entry.key && `g ${entry.key}`}>
      <span className="block">{link}</span>
    </Tooltip>
  ) : (
    link
  );
}

function useEscape(on: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => event.key === 'Escape' && onEscape();
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [on, onEscape]);
}
