import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PermissionAction } from '../data/permissions.ts';
import { useDenialReason } from '../data/use-denial-reason.ts';
import { Button } from '../ui/button.tsx';
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
  needs,
  children,
}: {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly className?: string;
  readonly onClick?: () => void;
  readonly label?: string;
  /** The permission that the linked action requires. Without it, a disabled button replaces the link. */
  readonly needs?: PermissionAction | undefined;
  readonly children: ReactNode;
}) {
  const org = useOrgId();
  if (useDenialReason(needs) !== null)
    return (
      <Button needs={needs} className="h-7!">
        {children}
      </Button>
    );
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
