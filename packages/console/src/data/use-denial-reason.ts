import { use, useEffect } from 'react';
import { PermissionHelpersContext } from './permission-helpers.tsx';
import {
  findDenialReason,
  isActionAllowed,
  listRolesWithPermission,
  type PermissionAction,
} from './permissions.ts';
import { SignedInContext } from './session.ts';

/** Why the signed-in person may not do this, or null when they may. */
export function useDenialReason(action: PermissionAction | undefined): string | null {
  const session = use(SignedInContext);
  const { people, want } = use(PermissionHelpersContext);
  const isRefused =
    action !== undefined && session !== null && !isActionAllowed(session.role, action) ? action : null;
  useEffect(() => {
    if (isRefused !== null) want();
  }, [isRefused, want]);
  if (isRefused === null) return null;
  const named = listRolesWithPermission(isRefused).flatMap((role) =>
    people.filter((person) => person.role === role).map(({ name, email }) => name || email),
  );
  return findDenialReason(isRefused, named);
}
