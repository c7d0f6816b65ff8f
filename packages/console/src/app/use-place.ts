import { useNavigate } from '@tanstack/react-router';
import { useOrgId } from './url-state.ts';

/** Goes to the page of one thing below `to`, `new` included, or without an id to the list itself. */
export function usePlace(to: string): (id?: string, how?: 'push' | 'replace') => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return (id, how = 'push') =>
    void navigate({
      to: `/o/${org}${to}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`,
      replace: how === 'replace',
    });
}
