import { readFile } from 'node:fs/promises';
import type { AwsCredentials, AwsIdentity, AwsKeys, ContainerSource, WebIdentity } from './aws-identity.ts';
import { type Profiles, profileOf, readProfiles } from './aws-profiles.ts';
import {
  type CredentialWorld,
  callService,
  credentialFault,
  formRequest,
  type Grant,
  readCredentialFile,
  requestDatedGrant,
  requestGrant,
  textIn,
} from './credential-service.ts';
import { signedHeaders } from './sigv4.ts';

/** How long a machine's session for its metadata service lasts. */
const SESSION_S = '21600';
/** A profile may borrow from a profile that borrows; not for ever. */
const BORROWED = 5;

/**
 * Finds keys along the chain of `AwsIdentity`.
 *
 * @throws Fault `upstream_auth_failed` when there are none, or whoever hands them out refused; `upstream_unreachable`
 */
export async function fetchAwsCredentials(
  identity: AwsIdentity,
  world: CredentialWorld,
): Promise<AwsCredentials> {
  const base = await baseCredentials(identity, world);
  if (identity.role === undefined) return base;
  return assumeRole(identity, identity.role, base.keys, world);
}

async function baseCredentials(identity: AwsIdentity, world: CredentialWorld): Promise<AwsCredentials> {
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
  world: CredentialWorld,
  left: number,
): Promise<AwsCredentials | undefined> {
  const [config, shared] = await Promise.all([
    profilesIn(identity.configFile),
    profilesIn(identity.credentialsFile),
  ]);
  const profile = profileOf(name, config, shared);
  const [id, secret] = [profile.get('aws_access_key_id'), profile.get('aws_secret_access_key')];
  const keys = id && secret ? { id, secret, token: profile.get('aws_session_token') } : undefined;
  const arn = profile.get('role_arn');
  const tokenFile = profile.get('web_identity_token_file');
  if (arn && tokenFile) return assumeRoleWithWebIdentity(identity, { tokenFile, roleArn: arn }, world);
  const source = profile.get('source_profile');
  if (arn && (source || profile.get('credential_source'))) {
    const own = source === name;
    const base =
      source && !own
        ? left > 0 && (await fromProfile(source, identity, world, left - 1))
        : own && keys
          ? { keys }
          : await fromNamedSource(profile.get('credential_source'), identity, world);
    if (!base) throw credentialFault(`the profile "${name}" borrows from one that has no keys`);
    return assumeRole(identity, { arn, externalId: profile.get('external_id') }, base.keys, world);
  }
  return keys && { keys, expiresAt: null };
}

async function fromNamedSource(
  source: string | undefined,
  { environmentKeys, container, metadata }: AwsIdentity,
  world: CredentialWorld,
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

async function fromContainer(source: ContainerSource, world: CredentialWorld): Promise<AwsCredentials> {
  const token =
    source.tokenFile === undefined ? source.token : (await readFile(source.tokenFile, 'utf8')).trim();
  const headers = token === undefined ? [] : ['authorization', token];
  return keysFrom(source.url, headers, world);
}

/** Version 2 of the metadata service: a session first, then the role's name, then its keys. */
async function fromMachine(base: string, world: CredentialWorld): Promise<AwsCredentials> {
  const session = await requestGrant(world, {
    method: 'PUT',
    url: `${base}/latest/api/token`,
    headers: ['x-aws-ec2-metadata-token-ttl-seconds', SESSION_S],
    isLocal: true,
  });
  const headers = ['x-aws-ec2-metadata-token', session.text.trim()];
  const list = `${base}/latest/meta-data/iam/security-credentials/`;
  const named = await callService(world, { method: 'GET', url: list, headers, isLocal: true });
  const role = named.body.toString('utf8').split('\n')[0]?.trim();
  if (named.status !== 200 || !role) throw credentialFault('this machine has no role', named);
  return keysFrom(list + encodeURIComponent(role), headers, world);
}

async function keysFrom(
  url: string,
  headers: readonly string[],
  world: CredentialWorld,
): Promise<AwsCredentials> {
  const grant = await requestGrant(world, { method: 'GET', url, headers, isLocal: true });
  const body = grant.object();
  return credentialsIn(grant, (name) => textIn(body, name));
}

/** Temporary keys of a role, asked for with the keys of somebody who may take it on. */
async function assumeRole(
  identity: AwsIdentity,
  role: { readonly arn: string; readonly externalId?: string | undefined },
  keys: AwsKeys,
  world: CredentialWorld,
): Promise<AwsCredentials> {
  const request = roleRequest(identity, 'AssumeRole', {
    RoleArn: role.arn,
    RoleSessionName: identity.sessionName,
    DurationSeconds: '3600',
    ...(role.externalId !== undefined && { ExternalId: role.externalId }),
  });
  const { origin, pathname: path } = new URL(request.url);
  const parts = { ...request, origin, path, body: Buffer.from(request.body) };
  const scope = { region: identity.region, service: 'sts' };
  const signedAt = (nowMs: number) => ({
    ...request,
    headers: signedHeaders(parts, scope, keys, nowMs),
  });
  return roleKeysIn(await requestDatedGrant(world, signedAt));
}

/** Temporary keys of a role for a token that somebody else keeps fresh in a file; not signed. */
async function assumeRoleWithWebIdentity(
  identity: AwsIdentity,
  { tokenFile, roleArn }: WebIdentity,
  world: CredentialWorld,
): Promise<AwsCredentials> {
  const token = await readCredentialFile(tokenFile, 'the web identity token');
  const request = roleRequest(identity, 'AssumeRoleWithWebIdentity', {
    RoleArn: roleArn,
    RoleSessionName: identity.sessionName,
    WebIdentityToken: token.trim(),
  });
  return roleKeysIn(await requestGrant(world, request));
}

function roleRequest(
  { sts }: AwsIdentity,
  action: 'AssumeRole' | 'AssumeRoleWithWebIdentity',
  fields: Readonly<Record<string, string>>,
) {
  const form = { Action: action, Version: '2011-06-15', ...fields };
  return formRequest(new URL(sts).href, form, 'application/x-www-form-urlencoded; charset=utf-8');
}

/** The service answers in XML with a fixed set of plain elements. */
function roleKeysIn(grant: Grant): AwsCredentials {
  return credentialsIn(grant, (name) =>
    new RegExp(`<${name}>([^<]+)</${name}>`).exec(grant.text)?.[1]?.trim(),
  );
}

/** The keys of an answer, whose end is stated by the service's clock. */
function credentialsIn(grant: Grant, member: (name: string) => string | undefined): AwsCredentials {
  const [id, secret] = [member('AccessKeyId'), member('SecretAccessKey')];
  if (id === undefined || secret === undefined) throw grant.refused();
  const expires = Date.parse(member('Expiration') ?? '');
  return {
    keys: { id, secret, token: member('SessionToken') ?? member('Token') },
    expiresAt: Number.isFinite(expires) ? expires - grant.skewMs : null,
  };
}
