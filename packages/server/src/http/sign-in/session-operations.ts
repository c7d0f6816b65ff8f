import {
  orgSwitchBody,
  ownPasswordBody,
  passwordSignInBody,
  sessionResource,
  setupBody,
  setupPreview,
  setupPreviewBody,
  signedInSession,
  stepUpBody,
} from '@floe/contract/api/session';
import * as z from 'zod';
import type { Log } from '../../core/log.ts';
import { hasUsableOwnerLink, previewOwnerLink, redeemOwnerLink } from '../../platform/sign-in/owner-link.ts';
import { signInWithPassword } from '../../platform/sign-in/password-sign-in.ts';
import { endBrowserSession, switchOrg } from '../../platform/sign-in/session-changes.ts';
import { getEnabledSignInMethods, type SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import { replaceOwnPassword, stepUpSession } from '../../platform/sign-in/step-up.ts';
import { hasAnyOrgOwner } from '../../store/members.ts';
import { createAccountIdentityOperations } from './account-identity-operations.ts';
import { createAccountPasskeyOperations } from './account-passkey-operations.ts';
import { createAccountSessionOperations } from './account-session-operations.ts';
import { createInvitationOperations } from './invitation-operations.ts';
import { createOidcOperations } from './oidc-operations.ts';
import { createPasskeySignInOperations } from './passkey-sign-in-operations.ts';
import { defineSessionOperation, type SessionOperation } from './session-operation.ts';
import { createSessionStartResult, toSignedInSessionResource } from './session-resource.ts';

/**
 * Returns all session operations: those of `/api/session`, and those of `/api/me` that manage the password,
 * identities, passkeys and sessions of an account.
 */
export function createSessionOperations(context: SignInContext, log: Log): readonly SessionOperation[] {
  return [
    readSession(context),
    previewSetup(context),
    setUpOwner(context),
    passwordSignIn(context),
    ...createPasskeySignInOperations(context),
    ...createOidcOperations(context, log),
    changeOrg(context),
    signOut(context),
    confirmIdentity(context),
    changeOwnPassword(context),
    ...createInvitationOperations(context),
    ...createAccountSessionOperations(context),
    ...createAccountPasskeyOperations(context),
    ...createAccountIdentityOperations(context),
  ];
}

function readSession(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'session.get',
    method: 'GET',
    path: '/api/session',
    summary: 'Read the current session, or the available sign-in methods if no one is signed in',
    status: 200,
    answer: sessionResource,
    async run({ browser }) {
      const { token, isUse } = browser;
      const live = token === null ? null : await context.sessions.find(token, isUse);
      if (live) return { body: toSignedInSessionResource(context, live) };
      const { read } = context.database;
      const isOpen = !(await hasAnyOrgOwner(read)) || (await hasUsableOwnerLink(read, context.clock));
      return {
        body: { state: 'signed_out' as const, setup: isOpen, methods: getEnabledSignInMethods(context) },
      };
    },
  });
}

function previewSetup(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'session.setup_preview',
    method: 'POST',
    path: '/api/session/setup/preview',
    summary: 'Check whether a one-time link is still valid',
    status: 200,
    body: setupPreviewBody,
    answer: setupPreview,
    async run({ body }) {
      const { org, isFirst, expiresAt } = await previewOwnerLink(context, body.token);
      return { body: { org, first: isFirst, expires_at: new Date(expiresAt).toISOString() } };
    },
  });
}

function setUpOwner(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'session.setup',
    method: 'POST',
    path: '/api/session/setup',
    summary: 'Become an owner with a one-time link',
    status: 200,
    body: setupBody,
    answer: signedInSession,
    run: async ({ body, browser }) =>
      createSessionStartResult(context, await redeemOwnerLink(context, body, browser)),
  });
}

function passwordSignIn(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'session.password',
    method: 'POST',
    path: '/api/session/password',
    summary: 'Sign in with email address and password',
    status: 200,
    body: passwordSignInBody,
    answer: signedInSession,
    run: async ({ body, browser }) =>
      createSessionStartResult(context, await signInWithPassword(context, body, browser)),
  });
}

function confirmIdentity(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'session.step_up',
    method: 'POST',
    path: '/api/session/step-up',
    summary:
      'Confirm your identity again with a password or passkey (step-up); the step-up is valid for ten minutes',
    status: 200,
    body: stepUpBody,
    answer: signedInSession,
    run: async ({ body, browser }) =>
      createSessionStartResult(context, await stepUpSession(context, browser, body)),
  });
}

function changeOwnPassword(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'me.password',
    method: 'PUT',
    path: '/api/me/password',
    summary: 'Set a new password and end all your other sessions; requires a step-up',
    status: 200,
    body: ownPasswordBody,
    answer: signedInSession,
    run: async ({ body, browser }) =>
      createSessionStartResult(context, await replaceOwnPassword(context, browser, body.password)),
  });
}

function changeOrg(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'session.org',
    method: 'POST',
    path: '/api/session/org',
    summary: 'Switch to another organization',
    status: 200,
    body: orgSwitchBody,
    answer: signedInSession,
    async run({ body, browser }) {
      const token = await switchOrg(context, browser, body.org_id);
      return createSessionStartResult(context, token);
    },
  });
}

function signOut(context: SignInContext): SessionOperation {
  return defineSessionOperation({
    name: 'session.delete',
    method: 'DELETE',
    path: '/api/session',
    summary: 'Sign out',
    status: 204,
    answer: z.null(),
    async run({ browser }) {
      await endBrowserSession(context, browser);
      return { token: null };
    },
  });
}
