import type { JsonObject } from '@floe/contract/json';
import type { SmallAnswer } from '../small-call.ts';
import type { Expiring } from './renewed.ts';
import {
  credentialFault,
  objectIn,
  refusedBy,
  type TokenRequest,
  type TokenWorld,
  textIn,
} from './token-call.ts';

export const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Longest life a token may be asked for, and the one assumed where the answer does not say. */
export const LIFE_S = 3600;
const FORM = ['content-type', 'application/x-www-form-urlencoded'];

export interface AccessToken extends Expiring {
  readonly value: string;
}

/** A form to post to a token service. */
export function form(url: string, fields: Readonly<Record<string, string>>): TokenRequest {
  return { method: 'POST', url, headers: FORM, body: new URLSearchParams(fields).toString() };
}

/** `{access_token, expires_in}` of an answer (RFC 6749, 5.1). */
export function tokenIn(request: TokenRequest, answer: SmallAnswer, world: TokenWorld): AccessToken {
  if (answer.status !== 200) throw refusedBy(request, answer);
  const body = objectIn(answer.body.toString('utf8'), `the answer of ${new URL(request.url).origin}`);
  const value = textIn(body, 'access_token');
  if (value === undefined) throw refusedBy(request, answer);
  const lifeS = Number(body['expires_in']);
  const life = Number.isFinite(lifeS) && lifeS > 0 ? lifeS : LIFE_S;
  return { value, expiresAt: world.clock.now() + life * 1000 };
}

/** @throws Fault `upstream_auth_failed` that names the member, never its value */
export function required(credentials: JsonObject, name: string): string {
  const value = textIn(credentials, name);
  if (value === undefined) throw credentialFault(`the credentials file has no \`${name}\``);
  return value;
}
