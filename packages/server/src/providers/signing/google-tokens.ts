import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@floe/contract/json';
import { type AccessToken, CLOUD_SCOPE, form, LIFE_S, required, tokenIn } from './access-token.ts';
import { federatedToken } from './google-federation.ts';
import type { GoogleIdentity } from './google-identity.ts';
import { signJwt } from './jwt.ts';
import { callForToken, credentialFault, objectIn, skewOf, type TokenWorld, textIn } from './token-call.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';

/**
 * Fetches an access token (developers.google.com/identity/protocols/oauth2/service-account). The file is read
 * anew each time, so a rotated one is picked up.
 *
 * @throws Fault `upstream_auth_failed` or `upstream_unreachable`
 */
export async function fetchGoogleToken(identity: GoogleIdentity, world: TokenWorld): Promise<AccessToken> {
  const { file, userFile, metadata } = identity;
  const text = await readCredentials(file ?? userFile, file !== undefined);
  if (text === undefined && metadata !== undefined) return fromMetadata(metadata, world);
  if (text === undefined)
    throw credentialFault(
      'set `identity.file` to a credentials file, or `identity.metadata: true` on a machine that has a service account',
    );
  const credentials = objectIn(text, `the credentials file ${file ?? userFile}`);
  switch (credentials['type']) {
    case 'service_account':
      return fromServiceAccount(credentials, world);
    case 'authorized_user':
      return fromUser(credentials, world);
    case 'external_account':
      return federatedToken(credentials, world);
    default:
      throw credentialFault(`credentials of type "${String(credentials['type'])}" are not known`);
  }
}

async function readCredentials(path: string, isNamed: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isNamed) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw credentialFault(`the credentials file cannot be read (${why})`);
  }
}

async function fromServiceAccount(credentials: JsonObject, world: TokenWorld): Promise<AccessToken> {
  const key = required(credentials, 'private_key');
  const email = required(credentials, 'client_email');
  const url = textIn(credentials, 'token_uri') ?? TOKEN_URL;
  const ask = (nowMs: number) => {
    const iat = Math.floor(nowMs / 1000);
    const claims = { iss: email, scope: CLOUD_SCOPE, aud: url, iat, exp: iat + LIFE_S };
    const assertion = signed(claims, key, textIn(credentials, 'private_key_id'));
    return form(url, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  };
  const first = ask(world.clock.now());
  const answer = await callForToken(world, first);
  // A token of the wrong hour is refused: once more, by their clock.
  const skew = answer.status === 200 ? 0 : skewOf(answer.headers, world.clock.now());
  if (skew === 0) return tokenIn(first, answer, world);
  const second = ask(world.clock.now() + skew);
  return tokenIn(second, await callForToken(world, second), world);
}

function signed(claims: JsonObject, key: string, keyId: string | undefined): string {
  try {
    return signJwt(claims, key, keyId);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw credentialFault(`the private key of the credentials file does not sign (${why})`);
  }
}

async function fromUser(credentials: JsonObject, world: TokenWorld): Promise<AccessToken> {
  const request = form(textIn(credentials, 'token_uri') ?? TOKEN_URL, {
    grant_type: 'refresh_token',
    refresh_token: required(credentials, 'refresh_token'),
    client_id: required(credentials, 'client_id'),
    client_secret: required(credentials, 'client_secret'),
  });
  return tokenIn(request, await callForToken(world, request), world);
}

async function fromMetadata(base: string, world: TokenWorld): Promise<AccessToken> {
  const url = `${base}/computeMetadata/v1/instance/service-accounts/default/token`;
  const request = { method: 'GET', url, headers: ['metadata-flavor', 'Google'], isLocal: true } as const;
  return tokenIn(request, await callForToken(world, request), world);
}
