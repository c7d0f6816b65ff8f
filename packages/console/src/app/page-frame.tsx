import { ChevronRight, Menu as MenuIcon, Search } from 'lucide-react';
import { Fragment, type ReactNode, useEffect } from 'react';
import { IconButton } from '../ui/button.tsx';
import { joinClassNames } from '../ui/class-names.ts';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { useAppShell } from './app-shell-context.ts';
import { OrgLink } from './org-link.tsx';

/** A link to a parent page. It is shown above the heading of a page. */
export interface Breadcrumb {
  readonly label: string;
  readonly to: string;
}

/**
 * Renders the layout of a page: the heading with actions on the right, the content below, and optionally a
 * drawer in `beside`.
 */
export function PageFrame({
  title,
  crumbs = [],
  actions,
  children,
  beside,
  padded = true,
}: {
  readonly title: string;
  /** The parent pages, starting with the outermost. */
  readonly crumbs?: readonly Breadcrumb[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly beside?: ReactNode;
  /** Set to false for lists that extend to the edge of the page. */
  readonly padded?: boolean;
}) {
  const { openMenu, openPalette } = useAppShell();
  useEffect(() => {
    document.title = `${title} · Floe`;
  }, [title]);
  return (
    <>
      <ScrollArea as="main" data-scroll className="relative min-w-0 flex-1 overflow-y-auto -outline-offset-2">
        <header className="@container flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 max-md:border-b max-md:border-line max-md:bg-sunken md:px-6">
          <IconButton icon={MenuIcon} label="Open menu" onClick={openMenu} className="-ml-2 md:hidden" />
          <div
            className={joinClassNames(
              'flex flex-1 items-center gap-1.5',
              crumbs.length === 0 ? 'min-w-max' : 'min-w-0',
            )}
          >
            {crumbs.map(({ label, to }) => (
              <Fragment key={to}>
                <OrgLink to={to} className="text-ui text-ink-2 hover:text-ink">
                  {label}
                </OrgLink>
                <ChevronRight size={14} className="shrink-0 text-ink-3" aria-hidden="true" />
              </Fragment>
            ))}
            <PageTitle title={title} isSubpage={crumbs.length > 0} />
          </div>
          <IconButton icon={Search} label="Search" onClick={openPalette} className="md:hidden" />
          {actions && <div className="flex flex-wrap items-center gap-2 max-md:w-full">{actions}</div>}
        </header>
        <div className={padded ? 'p-4 pt-3 md:p-6 md:pt-2' : 'max-md:pt-3'}>{children}</div>
      </ScrollArea>
      {beside}
    </>
  );
}

function PageTitle({ title, isSubpage }: { readonly title: string; readonly isSubpage: boolean }) {
  return (
    <h1
      title={title}
      className={joinClassNames(
        'truncate',
        isSubpage ? 'text-ui font-medium' : 'text-title font-semibold tracking-tight max-md:text-body',
      )}
    >
      {title}
    </h1>
  );
}
