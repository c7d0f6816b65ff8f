import { useNavigate } from '@tanstack/react-router';
import { useOrgId } from './url-state.ts';

/** Goes to a page of the org, by its path below it: `/requests`. */
export function useGo(): (
  to: string,
  how?: { readonly search?: Readonly<Record<string, string>>; readonly replace?: boolean },
) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return (to, { search = {}, replace = false } = {}) =>
    void navigate({ to: `/o/${org}${to}`, search, replace });
}

/**
 * Goes to the page of one thing below `to`, `new` included, or without an id to the list itself. `part` is what lies
 * below the thing: `/edit`.
 */
export function usePlace(to: string, part = ''): (id?: string, how?: 'push' | 'replace') => void {
  const go = useGo();
  return (id, how = 'push') => {
    const place = id === undefined ? '' : `/${encodeURIComponent(id)}${id === 'new' ? '' : part}`;
    go(`${to}${place}`, { replace: how === 'replace' });
  };
}
