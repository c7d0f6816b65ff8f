import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { ExpiringValue } from './auto-renewing-value.ts';
import {
  buildFormRequest,
  type CredentialContext,
  type CredentialResponse,
  createCredentialFault,
  parseCredentialJson,
  readCredentialFile,
  readStringMember,
  requestCredential,
  requestCredentialWithSkewRetry,
} from './credential-service.ts';
import type { GoogleTokenSources } from './google-token-sources.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Maximum lifetime of a token. It is assumed if the response does not contain a lifetime. */
const MAX_TOKEN_LIFETIME_S = 3600;

/** An access token and when it expires. */
export interface GoogleAccessToken extends ExpiringValue {
  readonly value: string;
}

/**
 * Fetches an access token (developers.google.com/identity/protocols/oauth2/service-account). Reads
 * the credentials file each time, so that a rotated file is used.
 * @throws Fault `upstream_auth_failed` if there are no valid credentials; `upstream_unreachable` if a service does
 * not respond
 */
export async function fetchGoogleToken(
  identity: GoogleTokenSources,
  context: CredentialContext,
): Promise<GoogleAccessToken> {
  const { file, userFile, metadata } = identity;
  const text =
    file === undefined
      ? await readUserFile(userFile)
      : await readCredentialFile(file, 'the credentials file');
  if (text === undefined && metadata !== undefined) return fromMetadata(metadata, context);
  if (text === undefined)
    throw createCredentialFault(
      'no Google credentials were found; set `identity.file` to a credentials file, or `identity.metadata: true` on a machine that has a service account',
    );
  const credentials = parseCredentialJson(text, `the credentials file ${file ?? userFile}`);
  switch (credentials['type']) {
    case 'service_account':
      return fromServiceAccount(credentials, context);
    case 'authorized_user':
      return fromUser(credentials, context);
    case 'external_account':
      return fromFederation(credentials, context);
    default:
      throw createCredentialFault(
        `credentials of type "${String(credentials['type'])}" are not supported; use a file of type service_account, authorized_user or external_account`,
      );
  }
}

/** Reads a file. Returns undefined if it does not exist. */
async function readUserFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function fromServiceAccount(
  credentials: JsonObject,
  context: CredentialContext,
): Promise<GoogleAccessToken> {
  const key = requireMember(credentials, 'private_key');
  const email = requireMember(credentials, 'client_email');
  const url = readStringMember(credentials, 'token_uri') ?? TOKEN_URL;
  const keyId = readStringMember(credentials, 'private_key_id');
  const requestAt = async (nowMs: number) => {
    const iat = Math.floor(nowMs / 1000);
    const claims = { iss: email, scope: CLOUD_SCOPE, aud: url, iat, exp: iat + MAX_TOKEN_LIFETIME_S };
    const assertion = await signJwt(claims, key, keyId);
    return buildFormRequest(url, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  };
  return parseTokenResponse(await requestCredentialWithSkewRetry(context, requestAt), context);
}

async function signJwt(claims: JsonObject, key: string, keyId: string | undefined): Promise<string> {
  const { SignJWT } = await import('jose/jwt/sign');
  try {
    const jwt = new SignJWT(claims);
    jwt.setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) });
    return await jwt.sign(createPrivateKey(key));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw createCredentialFault(
      `the private key in the credentials file is not valid (${why}); create a new key and download its file`,
    );
  }
}

async function fromUser(credentials: JsonObject, context: CredentialContext): Promise<GoogleAccessToken> {
  const request = buildFormRequest(readStringMember(credentials, 'token_uri') ?? TOKEN_URL, {
    grant_type: 'refresh_token',
    refresh_token: requireMember(credentials, 'refresh_token'),
    client_id: requireMember(credentials, 'client_id'),
    client_secret: requireMember(credentials, 'client_secret'),
  });
  return parseTokenResponse(await requestCredential(context, request), context);
}

async function fromMetadata(base: string, context: CredentialContext): Promise<GoogleAccessToken> {
  const url = `${base}/computeMetadata/v1/instance/service-accounts/default/token`;
  const headers = ['metadata-flavor', 'Google'];
  return parseTokenResponse(
    await requestCredential(context, { method: 'GET', url, headers, isLocal: true }),
    context,
  );
}

/**
 * Workload identity federation (cloud.google.com/iam/docs/workload-identity-federation; RFC 8693): exchanges
 * a token of the environment for a Google token, which may then impersonate a service account.
 */
async function fromFederation(
  credentials: JsonObject,
  context: CredentialContext,
): Promise<GoogleAccessToken> {
  const request = buildFormRequest(
    readStringMember(credentials, 'token_url') ?? 'https://sts.googleapis.com/v1/token',
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: requireMember(credentials, 'audience'),
      scope: CLOUD_SCOPE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: requireMember(credentials, 'subject_token_type'),
      subject_token: await subjectToken(credentials['credential_source'], context),
    },
  );
  const token = parseTokenResponse(await requestCredential(context, request), context);
  const url = readStringMember(credentials, 'service_account_impersonation_url');
  return url === undefined ? token : impersonateServiceAccount(url, token.value, context);
}

async function impersonateServiceAccount(
  url: string,
  bearer: string,
  context: CredentialContext,
): Promise<GoogleAccessToken> {
  const grant = await requestCredential(context, {
    method: 'POST',
    url,
    headers: ['authorization', `Bearer ${bearer}`, 'content-type', 'application/json'],
    body: JSON.stringify({ scope: [CLOUD_SCOPE], lifetime: '3600s' }),
  });
  const body = grant.json();
  const value = readStringMember(body, 'accessToken');
  const expiresAt = Date.parse(readStringMember(body, 'expireTime') ?? '');
  if (value === undefined || !Number.isFinite(expiresAt)) throw grant.toFault();
  return { value, expiresAt };
}

/** Returns the token of the environment from a file or a URL. */
async function subjectToken(source: unknown, context: CredentialContext): Promise<string> {
  if (!isJsonObject(source))
    throw createCredentialFault('the credentials file must contain `credential_source`');
  const [file, url] = [readStringMember(source, 'file'), readStringMember(source, 'url')];
  if (file !== undefined)
    return parseSubjectToken(source['format'], await readCredentialFile(file, 'the token file'));
  if (url === undefined)
    throw createCredentialFault(
      '`credential_source` must contain `file` or `url`; no other source is supported',
    );
  const named = isJsonObject(source['headers']) ? source['headers'] : {};
  const headers = Object.entries(named).flatMap(([name, value]) => [name.toLowerCase(), String(value)]);
  const grant = await requestCredential(context, { method: 'GET', url, headers, isLocal: true });
  return parseSubjectToken(source['format'], grant.text);
}

function parseSubjectToken(format: unknown, text: string): string {
  if (!isJsonObject(format) || format['type'] !== 'json') return text.trim();
  const name = readStringMember(format, 'subject_token_field_name') ?? 'access_token';
  const token = readStringMember(parseCredentialJson(text, 'the token'), name);
  if (token === undefined)
    throw createCredentialFault(
      `the JSON of the subject token does not contain \`${name}\`; check \`subject_token_field_name\` in the credentials file`,
    );
  return token;
}

/** Parses `{access_token, expires_in}` (RFC 6749, section 5.1). */
function parseTokenResponse(grant: CredentialResponse, { clock }: CredentialContext): GoogleAccessToken {
  const body = grant.json();
  const value = readStringMember(body, 'access_token');
  if (value === undefined) throw grant.toFault();
  const lifeS = Number(body['expires_in']);
  const life = Number.isFinite(lifeS) && lifeS > 0 ? lifeS : MAX_TOKEN_LIFETIME_S;
  return { value, expiresAt: clock.now() + life * 1000 };
}

/**
 * Returns a required member. The error contains its name but never its value.
 * @throws Fault `upstream_auth_failed`
 */
function requireMember(credentials: JsonObject, name: string): string {
  const value = readStringMember(credentials, name);
  if (value === undefined) throw createCredentialFault(`the credentials file must contain \`${name}\``);
  return value;
}
