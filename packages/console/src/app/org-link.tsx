import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from './url-state.ts';

/**
 * Renders a link to a page of the current organization. `to` is relative to the organization, as in
 * `/requests/exc_1`.
 */
export function OrgLink({
  to,
  search,
  className,
  onClick,
  label,
  children,
}: {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly className?: string;
  readonly onClick?: () => void;
  readonly label?: string;
  readonly children: ReactNode;
}) {
  const org = useOrgId();
  return (
    <Link
      to={`/o/${org}${to}`}
      search={search ?? {}}
      activeOptions={{ includeSearch: false }}
      className={className ?? 'text-accent-ink underlined'}
      onClick={onClick}
      aria-label={label}
    >
      {children}
    </Link>
  );
}
