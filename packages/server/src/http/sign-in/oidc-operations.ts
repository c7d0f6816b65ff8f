import { oidcCallbackQuery, oidcParams, oidcStartQuery } from '@floe/contract/api/session';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import type { Log } from '../../core/log.ts';
import { OIDC_FLOW_TTL_MS, OidcSignInError, startOidcFlow } from '../../platform/sign-in/oidc-flow.ts';
import { completeOidcSignIn } from '../../platform/sign-in/oidc-sign-in.ts';
import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import { type CookieDefinition, createCookieDefinition } from './session-cookie.ts';
import { defineSessionOperation, type SessionOperation } from './session-operation.ts';

/**
 * Creates the operations for a sign-in or a step-up with an OpenID Connect issuer. The browser navigates to
 * both operations, so errors redirect to the sign-in page with a reason. The callback is the only
 * `GET` that changes state. It accepts only a flow that this browser started, and only once.
 */
export function createOidcOperations(context: SignInContext, log: Log): readonly SessionOperation[] {
  const cookie = () => createOidcFlowCookieDefinition(context);

  function redirectWithError(name: string, error: unknown) {
    const reason = signInErrorReason(error);
    if (reason === null) throw error;
    log.warn({ issuer: name, reason, err: error }, 'sign-in with an identity provider failed');
    const query = new URLSearchParams({ error: reason, provider: name });
    return { location: `${context.site().prefix}/sign-in?${query}`, cookies: [cookie().clear()] };
  }

  return [
    defineSessionOperation({
      name: 'session.oidc_start',
      method: 'GET',
      path: '/api/session/oidc/{name}/start',
      summary: 'Redirect to an identity provider to sign in or to step up',
      status: 303,
      params: oidcParams,
      query: oidcStartQuery,
      answer: z.null(),
      async run({ params, query }) {
        try {
          const stepUp = query.step_up === 'true';
          const { location, encryptedFlow } = await startOidcFlow(context, params.name, {
            returnTo: query.return_to,
            stepUp,
          });
          return { location, cookies: [cookie().set(encryptedFlow)] };
        } catch (error) {
          return redirectWithError(params.name, error);
        }
      },
    }),
    defineSessionOperation({
      name: 'session.oidc_callback',
      method: 'GET',
      path: '/api/session/oidc/{name}/callback',
      summary: 'Handle the redirect back from an identity provider',
      status: 303,
      params: oidcParams,
      query: oidcCallbackQuery,
      answer: z.null(),
      async run({ params, query, browser, cookies }) {
        const answer = { query: singleParameters(query), encryptedFlow: cookie().read(cookies) };
        try {
          const { token, returnTo } = await completeOidcSignIn(context, params.name, answer, browser);
          return { location: returnTo, token, cookies: [cookie().clear()] };
        } catch (error) {
          return redirectWithError(params.name, error);
        }
      },
    }),
  ];
}

/** Returns the definition of the cookie that stores the state of a sign-in while the browser is at the issuer. */
export function createOidcFlowCookieDefinition({ site }: Pick<SignInContext, 'site'>): CookieDefinition {
  return createCookieDefinition(site(), 'floe_sign_in', OIDC_FLOW_TTL_MS / 1000);
}

/**
 * The reason that the sign-in page shows. Null for errors that the user did not cause: an unknown issuer, or
 * a bug.
 */
function signInErrorReason(error: unknown): string | null {
  if (error instanceof OidcSignInError) return error.reason;
  if (!(error instanceof Fault)) return null;
  if (error.code === 'too_many_attempts') return 'too_many_attempts';
  return error.status === 503 ? 'unavailable' : null;
}

/** Drops parameters that occur twice, because they are ambiguous. */
function singleParameters(query: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
