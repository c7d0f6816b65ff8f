import { use, useEffect } from 'react';
import { HelpersContext } from './members-with-permission.tsx';
import { type Action, denialReason, isAllowed, membersWithPermission } from './permissions.ts';
import { SignedInContext } from './session.ts';

/** Why the signed-in person may not do this, or null when they may. */
export function useDenialReason(action: Action | undefined): string | null {
  const session = use(SignedInContext);
  const { people, want } = use(HelpersContext);
  const isRefused =
    action !== undefined && session !== null && !isAllowed(session.role, action) ? action : null;
  useEffect(() => {
    if (isRefused !== null) want();
  }, [isRefused, want]);
  if (isRefused === null) return null;
  const named = membersWithPermission(isRefused).flatMap((role) =>
    people.filter((person) => person.role === role).map(({ name, email }) => name || email),
  );
  return denialReason(isRefused, named);
}
