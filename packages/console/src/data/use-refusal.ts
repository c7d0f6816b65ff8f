import { use, useEffect } from 'react';
import { type Action, can, helpersWith, refusal } from './permissions.ts';
import { SignedInContext } from './session.ts';
import { HelpersContext } from './who-can-help.tsx';

/** Why the signed-in person may not do this, or null when they may. */
export function useRefusal(action: Action | undefined): string | null {
  const session = use(SignedInContext);
  const { people, want } = use(HelpersContext);
  const isRefused = action !== undefined && session !== null && !can(session.role, action) ? action : null;
  useEffect(() => {
    if (isRefused !== null) want();
  }, [isRefused, want]);
  if (isRefused === null) return null;
  const named = helpersWith(isRefused).flatMap((role) =>
    people.filter((person) => person.role === role).map(({ name, email }) => name || email),
  );
  return refusal(isRefused, named);
}
