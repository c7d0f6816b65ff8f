import {
  invitationAcceptanceBody,
  invitationPreview,
  invitationPreviewBody,
  signedInSession,
} from '@floe/contract/api/session';
import { acceptInvitationAndSignIn, previewInvitation } from '../../platform/sign-in/accept-invitation.ts';
import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import { defineSessionOperation, type SessionOperation } from './session-operation.ts';
import { createSessionStartResult } from './session-resource.ts';

/**
 * Creates the operations for people who have an invitation link. The token is in the body, so that it does not appear
 * in access logs.
 */
export function createInvitationOperations(context: SignInContext): readonly SessionOperation[] {
  return [
    defineSessionOperation({
      name: 'session.invitation_preview',
      method: 'POST',
      path: '/api/session/invitation/preview',
      summary: 'Read an invitation before accepting it',
      status: 200,
      body: invitationPreviewBody,
      answer: invitationPreview,
      async run({ body }) {
        const { orgId, orgName, email, role, expiresAt } = await previewInvitation(context, body.token);
        const expires_at = new Date(expiresAt).toISOString();
        return { body: { org: { id: orgId, name: orgName }, email, role, expires_at } };
      },
    }),
    defineSessionOperation({
      name: 'session.invitation',
      method: 'POST',
      path: '/api/session/invitation',
      summary: 'Accept an invitation with a new or an existing account, and sign in',
      status: 200,
      body: invitationAcceptanceBody,
      answer: signedInSession,
      run: async ({ body, browser }) =>
        createSessionStartResult(context, await acceptInvitationAndSignIn(context, body, browser)),
    }),
  ];
}
