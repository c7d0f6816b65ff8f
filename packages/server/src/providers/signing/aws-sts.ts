import { readFile } from 'node:fs/promises';
import type { SmallAnswer } from '../small-call.ts';
import type { AwsCredentials, AwsIdentity, AwsKeys, WebIdentity } from './aws-identity.ts';
import { signedHeaders } from './sigv4.ts';
import {
  callForToken,
  credentialFault,
  refusedBy,
  skewOf,
  type TokenRequest,
  type TokenWorld,
} from './token-call.ts';

const FORM = ['content-type', 'application/x-www-form-urlencoded; charset=utf-8'];

/** Temporary keys of a role, asked for with the keys of somebody who may take it on. */
export async function assumeRole(
  { sts, region, sessionName }: AwsIdentity,
  role: { readonly arn: string; readonly externalId?: string | undefined },
  keys: AwsKeys,
  world: TokenWorld,
): Promise<AwsCredentials> {
  const body = formOf({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: role.arn,
    RoleSessionName: sessionName,
    DurationSeconds: '3600',
    ...(role.externalId !== undefined && { ExternalId: role.externalId }),
  });
  const url = new URL(sts);
  const ask = (nowMs: number): TokenRequest => ({
    method: 'POST',
    url: url.href,
    headers: signedHeaders(
      { method: 'POST', origin: url.origin, path: url.pathname, headers: FORM, body: Buffer.from(body) },
      { region, service: 'sts' },
      keys,
      nowMs,
    ),
    body,
  });
  const first = ask(world.clock.now());
  const answer = await callForToken(world, first);
  const skew = answer.status === 200 ? 0 : skewOf(answer.headers, world.clock.now());
  if (skew === 0) return keysIn(first, answer, world);
  const second = ask(world.clock.now() + skew);
  return keysIn(second, await callForToken(world, second), world);
}

/** Temporary keys of a role for a token that somebody else keeps fresh in a file; not signed. */
export async function assumeRoleWithWebIdentity(
  { sts, sessionName }: AwsIdentity,
  { tokenFile, roleArn }: WebIdentity,
  world: TokenWorld,
): Promise<AwsCredentials> {
  let token: string;
  try {
    token = (await readFile(tokenFile, 'utf8')).trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw credentialFault(`the web identity token cannot be read (${why})`);
  }
  const body = formOf({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: token,
  });
  const request: TokenRequest = { method: 'POST', url: new URL(sts).href, headers: FORM, body };
  return keysIn(request, await callForToken(world, request), world);
}

function formOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}

/** The service answers in XML with a fixed set of plain elements. */
function keysIn(request: TokenRequest, answer: SmallAnswer, world: TokenWorld): AwsCredentials {
  const xml = answer.body.toString('utf8');
  const element = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1]?.trim();
  const [id, secret] = [element('AccessKeyId'), element('SecretAccessKey')];
  if (answer.status !== 200 || id === undefined || secret === undefined) throw refusedBy(request, answer);
  const expires = Date.parse(element('Expiration') ?? '');
  const skew = skewOf(answer.headers, world.clock.now());
  return {
    keys: { id, secret, token: element('SessionToken') },
    expiresAt: Number.isFinite(expires) ? expires - skew : null,
  };
}
