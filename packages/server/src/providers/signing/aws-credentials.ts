import { readFile } from 'node:fs/promises';
import type {
  AwsContainerCredentialSource,
  AwsCredentialSources,
  AwsCredentials,
  AwsKeys,
  AwsWebIdentity,
} from './aws-credential-sources.ts';
import { type AwsProfiles, mergeAwsProfileSettings, parseAwsProfiles } from './aws-profiles.ts';
import {
  buildFormRequest,
  type CredentialContext,
  type CredentialResponse,
  callCredentialService,
  createCredentialFault,
  readCredentialFile,
  readStringMember,
  requestCredential,
  requestCredentialWithSkewRetry,
} from './credential-service.ts';
import { addSigV4Headers } from './sigv4.ts';

/** Lifetime of a session of the metadata service, in seconds. */
const METADATA_SESSION_S = '21600';
/** Maximum length of a chain of profiles. */
const MAX_PROFILE_CHAIN = 5;

/**
 * Fetches AWS keys from the sources that an `AwsCredentialSources` lists.
 * @throws Fault `upstream_auth_failed` if no source has keys or a service rejects the request;
 * `upstream_unreachable` if a service does not respond
 */
export async function fetchAwsCredentials(
  identity: AwsCredentialSources,
  context: CredentialContext,
): Promise<AwsCredentials> {
  const base = await baseCredentials(identity, context);
  if (identity.role === undefined) return base;
  return assumeRole(identity, identity.role, base.keys, context);
}

async function baseCredentials(
  identity: AwsCredentialSources,
  context: CredentialContext,
): Promise<AwsCredentials> {
  const { keys, profile, environmentKeys, webIdentity, container, metadata } = identity;
  if (keys) return { keys, expiresAt: null };
  if (profile !== undefined) {
    const found = await fromProfile(profile, identity, context, MAX_PROFILE_CHAIN);
    if (found) return found;
    throw createCredentialFault(
      `the profile "${profile}" does not exist, or has neither keys nor a role with a credential source; add aws_access_key_id and aws_secret_access_key to the profile, or role_arn with source_profile, credential_source or web_identity_token_file, or use a different profile`,
    );
  }
  if (environmentKeys) return { keys: environmentKeys, expiresAt: null };
  if (webIdentity) return assumeRoleWithWebIdentity(identity, webIdentity, context);
  const found = await fromProfile(identity.defaultProfile, identity, context, MAX_PROFILE_CHAIN);
  if (found) return found;
  if (container) return fromContainer(container, context);
  if (metadata !== undefined) return fromMetadataService(metadata, context);
  throw createCredentialFault(
    'no AWS credentials were found in `identity`, the environment or the shared files; set keys or a profile in `identity`, or set `identity.metadata: true` to use the instance role',
  );
}

async function fromProfile(
  name: string,
  identity: AwsCredentialSources,
  context: CredentialContext,
  left: number,
): Promise<AwsCredentials | undefined> {
  const [config, shared] = await Promise.all([
    readProfilesFile(identity.configFile),
    readProfilesFile(identity.credentialsFile),
  ]);
  const profile = mergeAwsProfileSettings(name, config, shared);
  const [id, secret] = [profile.get('aws_access_key_id'), profile.get('aws_secret_access_key')];
  const keys = id && secret ? { id, secret, token: profile.get('aws_session_token') } : undefined;
  const arn = profile.get('role_arn');
  const tokenFile = profile.get('web_identity_token_file');
  if (arn && tokenFile) return assumeRoleWithWebIdentity(identity, { tokenFile, roleArn: arn }, context);
  const source = profile.get('source_profile');
  if (arn && (source || profile.get('credential_source'))) {
    const own = source === name;
    const base =
      source && !own
        ? left > 0 && (await fromProfile(source, identity, context, left - 1))
        : own && keys
          ? { keys }
          : await fromNamedSource(profile.get('credential_source'), identity, context);
    if (!base)
      throw createCredentialFault(
        `no AWS credentials were found in the source_profile or credential_source of the profile "${name}"; add credentials to that source, or use a different profile`,
      );
    return assumeRole(identity, { arn, externalId: profile.get('external_id') }, base.keys, context);
  }
  return keys && { keys, expiresAt: null };
}

async function fromNamedSource(
  source: string | undefined,
  { environmentKeys, container, metadata }: AwsCredentialSources,
  context: CredentialContext,
): Promise<AwsCredentials | undefined> {
  if (source === 'Environment' && environmentKeys) return { keys: environmentKeys, expiresAt: null };
  if (source === 'EcsContainer' && container) return fromContainer(container, context);
  if (source === 'Ec2InstanceMetadata' && metadata !== undefined)
    return fromMetadataService(metadata, context);
  return undefined;
}

async function readProfilesFile(path: string): Promise<AwsProfiles> {
  try {
    return parseAwsProfiles(await readFile(path, 'utf8'));
  } catch {
    // A missing file is normal. If something requires a value in it, the error names that value.
    return new Map();
  }
}

async function fromContainer(
  source: AwsContainerCredentialSource,
  context: CredentialContext,
): Promise<AwsCredentials> {
  const token =
    source.tokenFile === undefined ? source.token : (await readFile(source.tokenFile, 'utf8')).trim();
  const headers = token === undefined ? [] : ['authorization', token];
  return fetchKeys(source.url, headers, context);
}

/**
 * Fetches keys from version 2 of the metadata service: first a session, then the name of the role, then its
 * keys.
 */
async function fromMetadataService(base: string, context: CredentialContext): Promise<AwsCredentials> {
  const session = await requestCredential(context, {
    method: 'PUT',
    url: `${base}/latest/api/token`,
    headers: ['x-aws-ec2-metadata-token-ttl-seconds', METADATA_SESSION_S],
    isLocal: true,
  });
  const headers = ['x-aws-ec2-metadata-token', session.text.trim()];
  const list = `${base}/latest/meta-data/iam/security-credentials/`;
  const named = await callCredentialService(context, { method: 'GET', url: list, headers, isLocal: true });
  const role = named.body.toString('utf8').split('\n')[0]?.trim();
  if (named.status !== 200 || !role)
    throw createCredentialFault(
      'the metadata service of this machine returned no role; attach an IAM role to the machine, or set keys or a profile in `identity`',
      named,
    );
  return fetchKeys(list + encodeURIComponent(role), headers, context);
}

async function fetchKeys(
  url: string,
  headers: readonly string[],
  context: CredentialContext,
): Promise<AwsCredentials> {
  const grant = await requestCredential(context, { method: 'GET', url, headers, isLocal: true });
  const body = grant.json();
  return parseCredentials(grant, (name) => readStringMember(body, name));
}

/** Requests temporary keys of a role, with keys that are allowed to assume it. */
async function assumeRole(
  identity: AwsCredentialSources,
  role: { readonly arn: string; readonly externalId?: string | undefined },
  keys: AwsKeys,
  context: CredentialContext,
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
    headers: addSigV4Headers(parts, scope, keys, nowMs),
  });
  return parseRoleCredentials(await requestCredentialWithSkewRetry(context, signedAt));
}

/**
 * Requests temporary keys of a role, with a token from a file that another process renews. The request is not
 * signed.
 */
async function assumeRoleWithWebIdentity(
  identity: AwsCredentialSources,
  { tokenFile, roleArn }: AwsWebIdentity,
  context: CredentialContext,
): Promise<AwsCredentials> {
  const token = await readCredentialFile(tokenFile, 'the web identity token');
  const request = roleRequest(identity, 'AssumeRoleWithWebIdentity', {
    RoleArn: roleArn,
    RoleSessionName: identity.sessionName,
    WebIdentityToken: token.trim(),
  });
  return parseRoleCredentials(await requestCredential(context, request));
}

function roleRequest(
  { sts }: AwsCredentialSources,
  action: 'AssumeRole' | 'AssumeRoleWithWebIdentity',
  fields: Readonly<Record<string, string>>,
) {
  const form = { Action: action, Version: '2011-06-15', ...fields };
  return buildFormRequest(new URL(sts).href, form, 'application/x-www-form-urlencoded; charset=utf-8');
}

/** Parses the XML of the service. The XML contains a fixed set of simple elements. */
function parseRoleCredentials(grant: CredentialResponse): AwsCredentials {
  return parseCredentials(grant, (name) =>
    new RegExp(`<${name}>([^<]+)</${name}>`).exec(grant.text)?.[1]?.trim(),
  );
}

/** Returns the keys in a response. Their expiry is relative to the clock of the service. */
function parseCredentials(
  grant: CredentialResponse,
  member: (name: string) => string | undefined,
): AwsCredentials {
  const [id, secret] = [member('AccessKeyId'), member('SecretAccessKey')];
  if (id === undefined || secret === undefined) throw grant.toFault();
  const expires = Date.parse(member('Expiration') ?? '');
  return {
    keys: { id, secret, token: member('SessionToken') ?? member('Token') },
    expiresAt: Number.isFinite(expires) ? expires - grant.skewMs : null,
  };
}
