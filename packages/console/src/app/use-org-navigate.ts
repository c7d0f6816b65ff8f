import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { isHandlingResultAfterUnmount, isHandlingResultWhileMounted } from '../data/change-result.ts';
import { useOrgId } from './url-state.ts';

/** The path of a page relative to the organization, such as `/requests`. */
export type OrgPath = `/${string}`;

/**
 * Returns a function that opens a page of the organization. The function stays the same object while the
 * organization is the same.
 */
export function useOrgNavigate(): (
  to: OrgPath,
  how?: { readonly search?: Readonly<Record<string, string>>; readonly replace?: boolean },
) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return useCallback(
    (to, { search = {}, replace = false } = {}) => {
      if (isHandlingResultAfterUnmount()) return;
      void navigate({ to: `/o/${org}${to}`, search, replace, ignoreBlocker: isHandlingResultWhileMounted() });
    },
    [navigate, org],
  );
}

/**
 * Returns a function that opens the page of a resource below `to`. The ID `new` opens the page for a new
 * resource, and no ID opens the list. `part` is appended to the resource path, such as `/edit`. The function
 * stays the same object while the organization is the same.
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
