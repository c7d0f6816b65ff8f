import type { SignedInSessionResource } from '@floe/contract/api/session';
import { Fault } from '@floe/contract/faults';
import type { ActiveConsoleSession } from '../../platform/sign-in/console-sessions.ts';
import { getEnabledSignInMethods, type SignInContext } from '../../platform/sign-in/sign-in-context.ts';

/** Converts a session to the API format. */
export function toSignedInSessionResource(
  context: SignInContext,
  session: ActiveConsoleSession,
): SignedInSessionResource {
  const { user, membership, memberships, isOperator, steppedUpUntil, expiresAt } = session;
  return {
    state: 'signed_in',
    user,
    member_id: membership.memberId,
    role: membership.role,
    team: membership.team,
    org: membership.org,
    orgs: memberships.map(({ org, role }) => ({ ...org, role })),
    operator: isOperator,
    stepped_up_until: steppedUpUntil > context.clock.now() ? new Date(steppedUpUntil).toISOString() : null,
    expires_at: new Date(expiresAt).toISOString(),
    methods: getEnabledSignInMethods(context),
  };
}

/**
 * Builds the response that starts a session and sets the session cookie.
 * @throws Fault `session_expired` if the session has already ended
 */
export async function createSessionStartResult(context: SignInContext, token: string) {
  const live = await context.sessions.find(token);
  if (!live) throw new Fault('session_expired', 'The session ended right after sign-in. Sign in again.');
  return { body: toSignedInSessionResource(context, live), token };
}
