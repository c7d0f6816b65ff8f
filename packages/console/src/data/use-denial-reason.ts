import { use, useEffect } from 'react';
import { PermissionHelpersContext } from './permission-helpers.tsx';
import {
  explainDenial,
  isActionAllowed,
  listRolesWithPermission,
  type PermissionAction,
} from './permissions.ts';
import { SignedInContext } from './session.ts';

/** Returns why the signed-in user does not have the permission, or null if they have it. */
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
  return explainDenial(isRefused, named);
}
