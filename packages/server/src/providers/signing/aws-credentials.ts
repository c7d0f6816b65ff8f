import { readFile } from 'node:fs/promises';
import type { AwsCredentials, AwsIdentity, ContainerSource } from './aws-identity.ts';
import { assumeRole, assumeRoleWithWebIdentity } from './aws-sts.ts';
import { type Profiles, profileOf, readProfiles } from './shared-profiles.ts';
import {
  callForToken,
  credentialFault,
  objectIn,
  refusedBy,
  skewOf,
  type TokenWorld,
  textIn,
} from './token-call.ts';

/** How long a machine's session for its metadata service lasts. */
const SESSION_S = '21600';
/** A profile may borrow from a profile that borrows; not for ever. */
const BORROWED = 5;

/**
 * Finds keys along the chain of `AwsIdentity`.
 *
 * @throws Fault `upstream_auth_failed` when there are none, or whoever hands them out refused; `upstream_unreachable`
 */
export async function fetchAwsCredentials(identity: AwsIdentity, world: TokenWorld): Promise<AwsCredentials> {
  const base = await baseCredentials(identity, world);
  if (identity.role === undefined) return base;
  return assumeRole(identity, identity.role, base.keys, world);
}

async function baseCredentials(identity: AwsIdentity, world: TokenWorld): Promise<AwsCredentials> {
  const { keys, profile, environmentKeys, webIdentity, container, metadata } = identity;
  if (keys) return { keys, expiresAt: null };
  if (profile !== undefined) {
    const found = await fromProfile(profile, identity, world, BORROWED);
    if (found) return found;
    throw credentialFault(`there is no profile "${profile}" with keys or a role`);
  }
  if (environmentKeys) return { keys: environmentKeys, expiresAt: null };
  if (webIdentity) return assumeRoleWithWebIdentity(identity, webIdentity, world);
  const found = await fromProfile(identity.defaultProfile, identity, world, BORROWED);
  if (found) return found;
  if (container) return fromContainer(container, world);
  if (metadata !== undefined) return fromMachine(metadata, world);
  throw credentialFault(
    'no keys in `identity`, the environment or the shared files; `identity.metadata: true` asks the machine',
  );
}

async function fromProfile(
  name: string,
  identity: AwsIdentity,
  world: TokenWorld,
  left: number,
): Promise<AwsCredentials | undefined> {
  const [config, shared] = await Promise.all([
    profilesIn(identity.configFile),
    profilesIn(identity.credentialsFile),
  ]);
  const profile = profileOf(name, config, shared);
  const [id, secret] = [profile.get('aws_access_key_id'), profile.get('aws_secret_access_key')];
  const arn = profile.get('role_arn');
  const tokenFile = profile.get('web_identity_token_file');
  if (arn && tokenFile) return assumeRoleWithWebIdentity(identity, { tokenFile, roleArn: arn }, world);
  const source = profile.get('source_profile');
  if (arn && (source || profile.get('credential_source'))) {
    const own = source === name;
    const base =
      source && !own
        ? left > 0 && (await fromProfile(source, identity, world, left - 1))
        : own && id && secret
          ? { keys: { id, secret, token: profile.get('aws_session_token') } }
          : await fromNamedSource(profile.get('credential_source'), identity, world);
    if (!base) throw credentialFault(`the profile "${name}" borrows from one that has no keys`);
    return assumeRole(identity, { arn, externalId: profile.get('external_id') }, base.keys, world);
  }
  if (!id || !secret) return undefined;
  return { keys: { id, secret, token: profile.get('aws_session_token') }, expiresAt: null };
}

async function fromNamedSource(
  source: string | undefined,
  { environmentKeys, container, metadata }: AwsIdentity,
  world: TokenWorld,
): Promise<AwsCredentials | undefined> {
  if (source === 'Environment' && environmentKeys) return { keys: environmentKeys, expiresAt: null };
  if (source === 'EcsContainer' && container) return fromContainer(container, world);
  if (source === 'Ec2InstanceMetadata' && metadata !== undefined) return fromMachine(metadata, world);
  return undefined;
}

async function profilesIn(path: string): Promise<Profiles> {
  try {
    return readProfiles(await readFile(path, 'utf8'));
  } catch {
    // No such file is the usual case; what it would have held is missed by name.
    return new Map();
  }
}

async function fromContainer(source: ContainerSource, world: TokenWorld): Promise<AwsCredentials> {
  const token =
    source.tokenFile === undefined ? source.token : (await readFile(source.tokenFile, 'utf8')).trim();
  const headers = token === undefined ? [] : ['authorization', token];
  return keysFrom(source.url, headers, world);
}

/** Version 2 of the metadata service: a session first, then the role's name, then its keys. */
async function fromMachine(base: string, world: TokenWorld): Promise<AwsCredentials> {
  const begin = {
    method: 'PUT',
    url: `${base}/latest/api/token`,
    headers: ['x-aws-ec2-metadata-token-ttl-seconds', SESSION_S],
    isLocal: true,
  } as const;
  const session = await callForToken(world, begin);
  if (session.status !== 200) throw refusedBy(begin, session);
  const headers = ['x-aws-ec2-metadata-token', session.body.toString('utf8').trim()];
  const list = `${base}/latest/meta-data/iam/security-credentials/`;
  const ask = { method: 'GET', url: list, headers, isLocal: true } as const;
  const named = await callForToken(world, ask);
  const role = named.body.toString('utf8').split('\n')[0]?.trim();
  if (named.status !== 200 || !role) throw credentialFault('this machine has no role', named);
  return keysFrom(list + encodeURIComponent(role), headers, world);
}

async function keysFrom(url: string, headers: readonly string[], world: TokenWorld): Promise<AwsCredentials> {
  const request = { method: 'GET', url, headers, isLocal: true } as const;
  const answer = await callForToken(world, request);
  if (answer.status !== 200) throw refusedBy(request, answer);
  const body = objectIn(answer.body.toString('utf8'), `the answer of ${new URL(url).origin}`);
  const [id, secret] = [textIn(body, 'AccessKeyId'), textIn(body, 'SecretAccessKey')];
  if (id === undefined || secret === undefined) throw refusedBy(request, answer);
  const skew = skewOf(answer.headers, world.clock.now());
  const expires = Date.parse(textIn(body, 'Expiration') ?? '');
  return {
    keys: { id, secret, token: textIn(body, 'Token') },
    expiresAt: Number.isFinite(expires) ? expires - skew : null,
  };
}
