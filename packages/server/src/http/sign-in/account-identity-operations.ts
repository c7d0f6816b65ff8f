import { oidcConnectRedirect, oidcParams, ownIdentityLinkList } from '@floe/contract/api/session';
import { startOidcFlow } from '../../platform/sign-in/oidc-flow.ts';
import {
  requireActiveSession,
  requireSessionForCredentialChange,
} from '../../platform/sign-in/session-changes.ts';
import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import { listIdentitiesOfUser } from '../../store/identities.ts';
import { createOidcFlowCookieDefinition } from './oidc-operations.ts';
import { defineSessionOperation, type SessionOperation } from './session-operation.ts';

/**
 * Creates the operations that list the OpenID Connect issuers, and connect the account of the signed-in user to
 * one of them.
 */
export function createAccountIdentityOperations(context: SignInContext): readonly SessionOperation[] {
  return [
    defineSessionOperation({
      name: 'me.identities',
      method: 'GET',
      path: '/api/me/identities',
      summary: 'List the identity providers, and whether your account is connected to each',
      status: 200,
      answer: ownIdentityLinkList,
      async run({ browser }) {
        const { live } = await requireActiveSession(context, browser);
        const own = await listIdentitiesOfUser(context.database.read, live.user.id);
        const data = context
          .auth()
          .oidc.map(({ name, issuer }) => ({ name, connected: own.some((one) => one.issuer === issuer) }));
        return { body: { data, next_cursor: null } };
      },
    }),
    defineSessionOperation({
      name: 'me.connect_identity',
      method: 'POST',
      path: '/api/me/identities/{name}/connect',
      summary: 'Get the URL for connecting an identity provider to your account; requires a step-up',
      status: 200,
      params: oidcParams,
      answer: oidcConnectRedirect,
      async run({ browser, params }) {
        await requireSessionForCredentialChange(context, browser);
        const returnTo = `${context.site().prefix}/settings/account`;
        const { location, encryptedFlow } = await startOidcFlow(context, params.name, {
          returnTo,
          stepUp: false,
        });
        return { body: { location }, cookies: [createOidcFlowCookieDefinition(context).set(encryptedFlow)] };
      },
    }),
  ];
}
