import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useOrgId } from './url-state.ts';

/** The path of a page below the org: `/requests`. */
export type OrgPath = `/${string}`;

/** Goes to a page of the org; the same function as long as the org is. */
export function useOrgNavigate(): (
  to: OrgPath,
  how?: { readonly search?: Readonly<Record<string, string>>; readonly replace?: boolean },
) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return useCallback(
    (to, { search = {}, replace = false } = {}) => void navigate({ to: `/o/${org}${to}`, search, replace }),
    [navigate, org],
  );
}

/**
 * Goes to the page of one thing below `to`, `new` included, or without an id to the list itself. `part` is what lies
 * below the thing: `/edit`. The same function as long as the org is.
 */
export function useResourceNavigate(to: OrgPath, part = ''): (id?: string, how?: 'push' | 'replace') => void {
  const go = useOrgNavigate();
  return useCallback(
    (id, how = 'push') => {
      const place = id === undefined ? '' : `/${encodeURIComponent(id)}${id === 'new' ? '' : part}`;
      go(`${to}${place}`, { replace: how === 'replace' });
    },
    [go, to, part],
  );
}
