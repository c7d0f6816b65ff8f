import { Suspense } from 'react';
import { useSignedInSession } from '../data/session.ts';
import { lazyWithFailureNotice } from '../ui/lazy-with-failure-notice.tsx';
import { Menu } from '../ui/menu.tsx';
import { LiveUpdateStatus } from './live-update-status.tsx';

const Items = lazyWithFailureNotice(() =>
  import('./account-menu-items.tsx').then(({ AccountMenuItems: Part }) => Part),
);

/**
 * Renders the menu of the signed-in user (appearance, keyboard shortcuts, sign-out) and the state of live
 * updates.
 */
export function AccountMenu({ iconsOnly }: { readonly iconsOnly: boolean }) {
  const { user } = useSignedInSession();
  const name = user.name || user.email;
  const trigger = (
    <button
      type="button"
      aria-label={iconsOnly ? `Account: ${name}` : undefined}
      className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-control px-1.5 text-left hover:bg-hover"
    >
      <span
        aria-hidden="true"
        className="grid size-6 shrink-0 place-items-center rounded-full border border-accent-line bg-accent-tint text-micro text-accent-ink"
      >
        {initials(name)}
      </span>
      {!iconsOnly && <span className="truncate text-ui text-ink-2">{name}</span>}
    </button>
  );
  return (
    <div className="flex items-center gap-1 border-t border-line p-2">
      <Menu trigger={trigger} align="start">
        <Suspense>
          <Items />
        </Suspense>
      </Menu>
      {!iconsOnly && <LiveUpdateStatus />}
    </div>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean);
  // Destructured, because indexing would return half of an emoji, which consists of two UTF-16 code units.
  return words
    .slice(0, 2)
    .map(([first]) => first)
    .join('')
    .toUpperCase();
}
