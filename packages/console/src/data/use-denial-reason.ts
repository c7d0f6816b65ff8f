import { use, useEffect } from 'react';
import { PermissionContactsContext } from './permission-contacts.tsx';
import {
  explainDenial,
  isActionAllowed,
  listRolesWithPermission,
  type PermissionAction,
} from './permissions.ts';
import { SignedInSessionContext } from './session.ts';

/**
 * Returns the reason why the signed-in user may not perform an action. Returns null if the user may perform it
 * or no action is given.
 */
export function useDenialReason(action: PermissionAction | undefined): string | null {
  const session = use(SignedInSessionContext);
  const { members, load } = use(PermissionContactsContext);
  const deniedAction =
    action !== undefined && session !== null && !isActionAllowed(session.role, action) ? action : null;
  useEffect(() => {
    if (deniedAction !== null) load();
  }, [deniedAction, load]);
  if (deniedAction === null) return null;
  const names = listRolesWithPermission(deniedAction).flatMap((role) =>
    members.filter((member) => member.role === role).map(({ name, email }) => name || email),
  );
  return explainDenial(deniedAction, names);
}
