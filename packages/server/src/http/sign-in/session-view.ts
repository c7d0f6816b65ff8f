import type { SignedInView } from '@floe/contract/api/session';
import type { LiveSession } from '../../platform/sign-in/sessions.ts';

export function sessionView(session: LiveSession, nowMs: number): SignedInView {
  const { user, here, everywhere, steppedUpUntil, expiresAt } = session;
  return {
    state: 'signed_in',
    user,
    member_id: here.memberId,
    role: here.role,
    team: here.team,
    org: here.org,
    orgs: everywhere.map(({ org, role }) => ({ ...org, role })),
    stepped_up_until: steppedUpUntil > nowMs ? new Date(steppedUpUntil).toISOString() : null,
    expires_at: new Date(expiresAt).toISOString(),
  };
}
