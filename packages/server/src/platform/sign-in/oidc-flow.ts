import type { OidcConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { decryptSecret, encryptSecret } from '../secrets.ts';
import { loadOpenidClient } from './oidc-issuer-cache.ts';
import { type OidcProfile, parseOidcProfile } from './oidc-profile.ts';
import type { SignInContext } from './sign-in-context.ts';
import { resolveSafeReturnPath } from './sign-in-urls.ts';

/** How long a sign-in at the issuer may take, in milliseconds. */
export const OIDC_FLOW_TTL_MS = 10 * 60_000;
/** For a step-up, the authentication that the issuer reports must not be older. */
const MAX_STEP_UP_AGE_S = 600;

/** Why a sign-in with an issuer failed. The sign-in page has a message for each reason. */
export type OidcFailureReason =
  | 'access_denied'
  | 'expired'
  | 'not_allowed'
  | 'email_not_verified'
  | 'account_exists'
  | 'account_mismatch'
  | 'unavailable'
  | 'failed';

/**
 * Thrown if a sign-in with an issuer failed. The sign-in page shows the reason, and the log
 * contains the details.
 */
export class OidcSignInError extends Error {
  override readonly name = 'OidcSignInError';
  readonly reason: OidcFailureReason;

  constructor(reason: OidcFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * The state of a sign-in with an issuer. The browser stores it in encrypted form, so that no one
 * can read or change it.
 */
export const oidcFlowSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  return_to: z.string(),
  step_up: z.boolean(),
  expires_at: z.number(),
});

export type OidcFlow = z.output<typeof oidcFlowSchema>;

/**
 * Returns the configuration of an issuer.
 * @throws Fault `not_found` if no issuer with this name is configured
 */
export function requireOidcIssuer(context: Pick<SignInContext, 'auth'>, name: string): OidcConfig {
  const found = context.auth().oidc.find((oidc) => oidc.name === name);
  if (!found)
    throw new Fault(
      'not_found',
      'No identity provider with this name is configured (auth.oidc in floe.yaml).',
    );
  return found;
}

/** Returns the redirect URI that is registered at the issuer. */
export function buildOidcCallbackUrl({ site }: Pick<SignInContext, 'site'>, name: string): URL {
  return new URL(`${site().baseUrl}/api/session/oidc/${name}/callback`);
}

/** The dependencies of a sign-in with an issuer. */
export type OidcFlowContext = Pick<
  SignInContext,
  'auth' | 'issuers' | 'site' | 'clock' | 'flowEncryptionKey'
>;

/**
 * Returns the issuer's authorization URL to redirect to, and the state that the browser must store.
 * @throws OidcSignInError `unavailable` if the issuer cannot be reached; Fault `not_found` if no issuer with this
 * name is configured
 */
export async function startOidcFlow(
  context: OidcFlowContext,
  name: string,
  asked: { readonly returnTo: string | undefined; readonly stepUp: boolean },
): Promise<{ readonly location: string; readonly encryptedFlow: string }> {
  const oidc = requireOidcIssuer(context, name);
  const openid = await loadOpenidClient();
  const configuration = await context.issuers.find(oidc).catch((cause: unknown) => {
    throw new OidcSignInError(
      'unavailable',
      `Floe could not load the OpenID configuration of ${oidc.issuer}. Check issuer in auth.oidc, and check that this server can connect to the identity provider.`,
      {
        cause,
      },
    );
  });
  const going: OidcFlow = {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
    return_to: resolveSafeReturnPath(context.site(), asked.returnTo),
    step_up: asked.stepUp,
    expires_at: context.clock.now() + OIDC_FLOW_TTL_MS,
  };
  const location = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: buildOidcCallbackUrl(context, name).href,
    response_type: 'code',
    scope: oidc.scopes.join(' '),
    state: going.state,
    nonce: going.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(going.verifier),
    code_challenge_method: 'S256',
    ...(asked.stepUp && { prompt: 'login', max_age: String(MAX_STEP_UP_AGE_S) }),
  });
  return {
    location: location.href,
    encryptedFlow: encryptSecret(JSON.stringify(going), flowBinding(name), context.flowEncryptionKey),
  };
}

/**
 * Decrypts the state that the browser stored when the sign-in started.
 *
 * @throws OidcSignInError `expired` if there is none, or it is invalid or too old; `failed` if the
 * response belongs to another sign-in
 */
export function decryptOidcFlow(
  context: OidcFlowContext,
  name: string,
  {
    query,
    encryptedFlow,
  }: { readonly query: Readonly<Record<string, string>>; readonly encryptedFlow: string | null },
): OidcFlow {
  const kept = decryptFlow(context, name, encryptedFlow);
  if (!kept)
    throw new OidcSignInError(
      'expired',
      'The sign-in was not started in this browser, or it took too long. Start the sign-in again.',
    );
  if (query['state'] !== kept.state)
    throw new OidcSignInError(
      'failed',
      'The response of the identity provider belongs to a different sign-in. Start the sign-in again.',
    );
  return kept;
}

function decryptFlow(context: OidcFlowContext, name: string, encryptedFlow: string | null): OidcFlow | null {
  try {
    const kept = oidcFlowSchema.parse(
      JSON.parse(decryptSecret(encryptedFlow ?? '', flowBinding(name), context.flowEncryptionKey)),
    );
    return context.clock.now() < kept.expires_at ? kept : null;
  } catch {
    // A missing state has the same result as the state of another browser or issuer.
    return null;
  }
}

const flowBinding = (name: string) => ({ orgId: '', rowId: `oidc ${name}`, version: 1 });

/**
 * Exchanges the issuer's response for the user's profile. Checks state, issuer, code, PKCE, nonce
 * and the ID token's signature.
 *
 * @throws OidcSignInError if the issuer reports an error or a check fails
 */
export async function completeOidcFlow(
  context: OidcFlowContext,
  oidc: OidcConfig,
  kept: OidcFlow,
  answer: Readonly<Record<string, string>>,
): Promise<OidcProfile> {
  const openid = await loadOpenidClient();
  const current = buildOidcCallbackUrl(context, oidc.name);
  for (const [name, value] of Object.entries(answer)) current.searchParams.set(name, value);
  try {
    const configuration = await context.issuers.find(oidc);
    const tokens = await openid.authorizationCodeGrant(configuration, current, {
      expectedState: kept.state,
      expectedNonce: kept.nonce,
      pkceCodeVerifier: kept.verifier,
      idTokenExpected: true,
      ...(kept.step_up && { maxAge: MAX_STEP_UP_AGE_S }),
    });
    const claims = tokens.claims();
    if (!claims)
      throw new OidcSignInError(
        'failed',
        'The identity provider returned no ID token. Check that auth.oidc[].scopes contains "openid", and that the client at the identity provider is allowed to use this scope.',
      );
    const isWhole = claims['email'] !== undefined && claims[oidc.group_claim] !== undefined;
    const further =
      isWhole || configuration.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return parseOidcProfile(oidc, claims, further);
  } catch (error) {
    throw toSignInError(openid, error);
  }
}

/** The detail for the log: error codes, never a code, a token or the full text of the issuer. */
function toSignInError(
  openid: Awaited<ReturnType<typeof loadOpenidClient>>,
  error: unknown,
): OidcSignInError {
  if (error instanceof OidcSignInError) return error;
  if (error instanceof openid.AuthorizationResponseError)
    return new OidcSignInError(
      'access_denied',
      `The identity provider did not complete the sign-in (${error.error.slice(0, 100)}). If the person did not cancel the sign-in, check that the person is assigned to the application.`,
    );
  if (error instanceof openid.ResponseBodyError)
    return new OidcSignInError(
      'failed',
      `The token endpoint of the identity provider returned the error ${error.error.slice(0, 100)}. Check client_id and client_secret in auth.oidc.`,
    );
  // Without an error code, the library passes on an error of the connection.
  const isCall = error instanceof openid.ClientError && error.code === undefined;
  const said = isCall && error.cause !== undefined ? error.cause : error;
  const isAnswer = !isCall && (error instanceof TypeError || error instanceof openid.ClientError);
  const code = said instanceof Error && 'code' in said ? ` (${String(said.code)})` : '';
  return new OidcSignInError(
    isAnswer ? 'failed' : 'unavailable',
    `${said instanceof Error ? said.message : String(said)}${code}`.slice(0, 300),
  );
}
