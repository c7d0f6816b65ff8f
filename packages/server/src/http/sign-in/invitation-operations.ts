import {
  invitationBody,
  invitationPreview,
  invitationPreviewBody,
  signedIn,
} from '@floe/contract/api/session';
import { previewInvitation, takeInvitation } from '../../platform/sign-in/invited.ts';
import type { SignInParts } from '../../platform/sign-in/sign-in.ts';
import { type SessionOperation, sessionOperation } from './session-operation.ts';
import { signedInNow } from './session-view.ts';

/** Invitations, as those see them who hold the link; the token is in a body, so that no log of addresses has it. */
export function invitationOperations(parts: SignInParts): readonly SessionOperation[] {
  return [
    sessionOperation({
      name: 'session.invitation_preview',
      method: 'POST',
      path: '/api/session/invitation/preview',
      summary: 'Look at an invitation before accepting it',
      status: 200,
      body: invitationPreviewBody,
      answer: invitationPreview,
      async run({ body }) {
        const { orgId, orgName, email, role, expiresAt } = await previewInvitation(parts, body.token);
        const expires_at = new Date(expiresAt).toISOString();
        return { body: { org: { id: orgId, name: orgName }, email, role, expires_at } };
      },
    }),
    sessionOperation({
      name: 'session.invitation',
      method: 'POST',
      path: '/api/session/invitation',
      summary: 'Accept an invitation, with a new account or the own one, and sign in',
      status: 200,
      body: invitationBody,
      answer: signedIn,
      run: async ({ body, browser }) => signedInNow(parts, await takeInvitation(parts, body, browser)),
    }),
  ];
}
