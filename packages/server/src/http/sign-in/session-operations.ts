import {
  orgBody,
  ownPasswordBody,
  passwordBody,
  session,
  setupBody,
  setupPreview,
  setupPreviewBody,
  signedIn,
  stepUpBody,
} from '@floe/contract/api/session';
import * as z from 'zod';
import type { Log } from '../../core/log.ts';
import { isLinkOpen, previewOwnerLink, takeOwnerLink } from '../../platform/sign-in/owner-link.ts';
import { signInByPassword } from '../../platform/sign-in/password-sign-in.ts';
import { endSession, switchOrg } from '../../platform/sign-in/session-changes.ts';
import { methodsOf, type SignInParts } from '../../platform/sign-in/sign-in.ts';
import { changePassword, stepUp } from '../../platform/sign-in/step-up.ts';
import { hasOwner } from '../../store/members.ts';
import { invitationOperations } from './invitation-operations.ts';
import { oidcOperations } from './oidc-operations.ts';
import { ownIdentityOperations } from './own-identity-operations.ts';
import { ownPasskeyOperations } from './own-passkey-operations.ts';
import { ownSessionOperations } from './own-session-operations.ts';
import { passkeyOperations } from './passkey-operations.ts';
import { type SessionOperation, sessionOperation } from './session-operation.ts';
import { sessionView, signedInNow } from './session-view.ts';

/** Everything `/api/session` can do. */
export function sessionOperations(parts: SignInParts, log: Log): readonly SessionOperation[] {
  return [
    readSession(parts),
    previewSetup(parts),
    setup(parts),
    byPassword(parts),
    ...passkeyOperations(parts),
    ...oidcOperations(parts, log),
    changeOrg(parts),
    signOut(parts),
    confirm(parts),
    changeOwnPassword(parts),
    ...invitationOperations(parts),
    ...ownSessionOperations(parts),
    ...ownPasskeyOperations(parts),
    ...ownIdentityOperations(parts),
  ];
}

function readSession(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'session.get',
    method: 'GET',
    path: '/api/session',
    summary: 'Tell who is signed in, or how to sign in',
    status: 200,
    answer: session,
    async run({ browser }) {
      const live = browser.token === null ? null : await parts.sessions.find(browser.token);
      if (live) return { body: sessionView(live, parts.clock.now()) };
      const { read } = parts.database;
      const isOpen = !(await hasOwner(read)) || (await isLinkOpen(read, parts.clock));
      return { body: { state: 'signed_out' as const, setup: isOpen, methods: methodsOf(parts) } };
    },
  });
}

function previewSetup(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'session.setup_preview',
    method: 'POST',
    path: '/api/session/setup/preview',
    summary: 'Look whether the one-time link can still be taken',
    status: 200,
    body: setupPreviewBody,
    answer: setupPreview,
    async run({ body }) {
      const { org, isFirst, expiresAt } = await previewOwnerLink(parts, body.token);
      return { body: { org, first: isFirst, expires_at: new Date(expiresAt).toISOString() } };
    },
  });
}

function setup(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'session.setup',
    method: 'POST',
    path: '/api/session/setup',
    summary: 'Become an owner by the one-time link',
    status: 200,
    body: setupBody,
    answer: signedIn,
    run: async ({ body, browser }) => signedInNow(parts, await takeOwnerLink(parts, body, browser)),
  });
}

function byPassword(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'session.password',
    method: 'POST',
    path: '/api/session/password',
    summary: 'Sign in by e-mail and password',
    status: 200,
    body: passwordBody,
    answer: signedIn,
    run: async ({ body, browser }) => signedInNow(parts, await signInByPassword(parts, body, browser)),
  });
}

function confirm(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'session.step_up',
    method: 'POST',
    path: '/api/session/step-up',
    summary: 'Confirm who you are, for ten minutes',
    status: 200,
    body: stepUpBody,
    answer: signedIn,
    run: async ({ body, browser }) => signedInNow(parts, await stepUp(parts, browser, body)),
  });
}

function changeOwnPassword(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'me.password',
    method: 'PUT',
    path: '/api/me/password',
    summary: 'Choose another password; needs a step-up, and ends every other session of yours',
    status: 200,
    body: ownPasswordBody,
    answer: signedIn,
    run: async ({ body, browser }) => signedInNow(parts, await changePassword(parts, browser, body.password)),
  });
}

function changeOrg(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'session.org',
    method: 'POST',
    path: '/api/session/org',
    summary: 'Go on in another organization',
    status: 200,
    body: orgBody,
    answer: signedIn,
    async run({ body, browser }) {
      const token = await switchOrg(parts, browser, body.org_id);
      return signedInNow(parts, token);
    },
  });
}

function signOut(parts: SignInParts): SessionOperation {
  return sessionOperation({
    name: 'session.delete',
    method: 'DELETE',
    path: '/api/session',
    summary: 'Sign out',
    status: 204,
    answer: z.null(),
    async run({ browser }) {
      await endSession(parts, browser);
      return { token: null };
    },
  });
}
