import type { Role } from '@floe/contract/roles';
import type { LoadedConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import { narrowOwnKeys, revokeOwnKeys } from '../management/members/own-keys.ts';
import { Issuers } from '../platform/sign-in/oidc-issuer.ts';
import { createPasswordHasher } from '../platform/sign-in/password-hash.ts';
import { sessionRulesOf } from '../platform/sign-in/session-rules.ts';
import { Sessions } from '../platform/sign-in/sessions.ts';
import type { KeyChange, SignInParts } from '../platform/sign-in/sign-in.ts';
import { siteOf } from '../platform/sign-in/site.ts';
import { createThrottle } from '../platform/sign-in/throttle.ts';
import { type MemberRow, userById } from '../store/members.ts';
import type { Writer } from '../store/ports.ts';
import type { Parts } from './parts.ts';

/** Sign-in to the console. `place.url` is where people find this process. */
export function assembleSignIn(
  { database, log, signInKeys, outbound }: Parts,
  loaded: () => LoadedConfig,
  place: { readonly url: string },
): SignInParts {
  return {
    database,
    clock: systemClock,
    sessions: new Sessions(database, systemClock, log, () => sessionRulesOf(loaded().config.auth)),
    throttle: createThrottle(database, systemClock),
    hasher: createPasswordHasher(),
    challengeKey: signInKeys.challenge,
    sealingKey: signInKeys.sealing,
    issuers: new Issuers(outbound, systemClock),
    fitKeys: fitOwnKeys,
    auth: () => loaded().config.auth,
    site: () =>
      siteOf(
        place.url,
        loaded().config.server.listeners.map(({ port }) => port),
      ),
  };
}

/** As the verbs about members do it. */
async function fitOwnKeys(
  writer: Writer,
  member: MemberRow,
  role: Role | null,
  by: string,
): Promise<readonly KeyChange[]> {
  const user = await userById(writer, member.user_id);
  if (!user) return [];
  const whose = { id: member.id, email: user.email };
  const hand = { by, nowMs: systemClock.now() };
  return role === null
    ? revokeOwnKeys(writer, member.org_id, whose, hand)
    : narrowOwnKeys(writer, member.org_id, whose, role, hand);
}
