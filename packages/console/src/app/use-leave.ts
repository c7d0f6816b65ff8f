import { useNavigate } from '@tanstack/react-router';
import { useOrgId } from './url-state.ts';

/** Goes from a page of one thing to that of another, or without an id to the list at `to`. */
export function useLeave(to: string): (id?: string) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return (id) =>
    void navigate({
      to: `/o/${org}${to}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`,
      replace: id !== undefined,
    });
}
