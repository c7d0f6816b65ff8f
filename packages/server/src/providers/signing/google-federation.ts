import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type AccessToken, CLOUD_SCOPE, form, required, tokenIn } from './access-token.ts';
import { callForToken, credentialFault, objectIn, refusedBy, type TokenWorld, textIn } from './token-call.ts';

/**
 * Workload identity federation (cloud.google.com/iam/docs/workload-identity-federation; RFC 8693): a token of
 * the place we run in is exchanged for one of Google's, which may then stand in for a service account.
 */
export async function federatedToken(credentials: JsonObject, world: TokenWorld): Promise<AccessToken> {
  const request = form(textIn(credentials, 'token_url') ?? 'https://sts.googleapis.com/v1/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: required(credentials, 'audience'),
    scope: CLOUD_SCOPE,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token_type: required(credentials, 'subject_token_type'),
    subject_token: await subjectToken(credentials['credential_source'], world),
  });
  const token = tokenIn(request, await callForToken(world, request), world);
  const url = textIn(credentials, 'service_account_impersonation_url');
  return url === undefined ? token : impersonated(url, token.value, world);
}

async function impersonated(url: string, bearer: string, world: TokenWorld): Promise<AccessToken> {
  const request = {
    method: 'POST',
    url,
    headers: ['authorization', `Bearer ${bearer}`, 'content-type', 'application/json'],
    body: JSON.stringify({ scope: [CLOUD_SCOPE], lifetime: '3600s' }),
  } as const;
  const answer = await callForToken(world, request);
  if (answer.status !== 200) throw refusedBy(request, answer);
  const body = objectIn(answer.body.toString('utf8'), `the answer of ${new URL(url).origin}`);
  const value = textIn(body, 'accessToken');
  const expiresAt = Date.parse(textIn(body, 'expireTime') ?? '');
  if (value === undefined || !Number.isFinite(expiresAt)) throw refusedBy(request, answer);
  return { value, expiresAt };
}

/** The place's own token: from a file that something keeps fresh, or an address that hands it out. */
async function subjectToken(source: unknown, world: TokenWorld): Promise<string> {
  if (!isObject(source)) throw credentialFault('the credentials file has no `credential_source`');
  const [file, url] = [textIn(source, 'file'), textIn(source, 'url')];
  if (file !== undefined) return inFormat(source['format'], await readToken(file));
  if (url === undefined) throw credentialFault('of `credential_source`, `file` and `url` are supported');
  const headers = isObject(source['headers']) ? source['headers'] : {};
  const flat = Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), String(value)]);
  const request = { method: 'GET', url, headers: flat, isLocal: true } as const;
  const answer = await callForToken(world, request);
  if (answer.status !== 200) throw refusedBy(request, answer);
  return inFormat(source['format'], answer.body.toString('utf8'));
}

async function readToken(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw credentialFault(`the token file cannot be read (${why})`);
  }
}

function inFormat(format: unknown, text: string): string {
  if (!isObject(format) || format['type'] !== 'json') return text.trim();
  const name = textIn(format, 'subject_token_field_name') ?? 'access_token';
  const token = textIn(objectIn(text, 'the token'), name);
  if (token === undefined) throw credentialFault(`the token has no \`${name}\``);
  return token;
}
