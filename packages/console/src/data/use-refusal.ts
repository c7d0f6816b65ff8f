import { type Action, can, refusal } from './permissions.ts';
import { useSession } from './session.ts';

/** Why the signed-in person may not do this, or null when they may. */
export function useRefusal(action: Action | undefined): string | null {
  const session = useSession();
  if (action === undefined || session?.state !== 'signed_in' || can(session.role, action)) return null;
  return refusal(action);
}
