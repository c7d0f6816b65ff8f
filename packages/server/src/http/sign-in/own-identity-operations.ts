import { connection, oidcParams, ownIdentityList } from '@floe/contract/api/session';
import { startFlow } from '../../platform/sign-in/oidc-flow.ts';
import { mustBeSignedIn, mustHoldAccount } from '../../platform/sign-in/session-changes.ts';
import type { SignInParts } from '../../platform/sign-in/sign-in.ts';
import { identitiesOf } from '../../store/identities.ts';
import { flowCookie } from './oidc-operations.ts';
import { type SessionOperation, sessionOperation } from './session-operation.ts';

/** The issuers that whoever is signed in can sign in by. */
export function ownIdentityOperations(parts: SignInParts): readonly SessionOperation[] {
  return [
    sessionOperation({
      name: 'me.identities',
      method: 'GET',
      path: '/api/me/identities',
      summary: 'List the OpenID Connect issuers, and whether your account is connected to them',
      status: 200,
      answer: ownIdentityList,
      async run({ browser }) {
        const { live } = await mustBeSignedIn(parts, browser);
        const own = await identitiesOf(parts.database.read, live.user.id);
        const data = parts
          .auth()
          .oidc.map(({ name, issuer }) => ({ name, connected: own.some((one) => one.issuer === issuer) }));
        return { body: { data, next_cursor: null } };
      },
    }),
    sessionOperation({
      name: 'me.connect_identity',
      method: 'POST',
      path: '/api/me/identities/{name}/connect',
      summary: 'Go to an OpenID Connect issuer to connect your account to it; needs a step-up',
      status: 200,
      params: oidcParams,
      answer: connection,
      async run({ browser, params }) {
        await mustHoldAccount(parts, browser);
        const returnTo = `${parts.site().prefix}/settings/account`;
        const { location, sealed } = await startFlow(parts, params.name, { returnTo, stepUp: false });
        return { body: { location }, cookies: [flowCookie(parts).set(sealed)] };
      },
    }),
  ];
}
