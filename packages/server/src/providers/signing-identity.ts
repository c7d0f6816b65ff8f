import { createHash } from 'node:crypto';
import type { ProviderConfig } from '@floe/contract/config';
import type { ResolvedOutboundConnections } from './outbound-connections.ts';
import type { ProviderDefinition } from './provider-definition.ts';
import { resolveAwsCredentialSources } from './signing/aws-credential-sources.ts';
import { resolveGoogleTokenSources } from './signing/google-token-sources.ts';
import type { SigningConfig } from './signing/signing-config.ts';

/**
 * Returns the sources of the credentials with which requests to a provider are signed. Returns undefined if this
 * kind of provider does not require signed requests.
 */
export function resolveSigningIdentity(
  { auth }: ProviderDefinition,
  { identity, role_arn: roleArn }: Pick<ProviderConfig, 'identity' | 'role_arn'>,
  region: string | undefined,
  variable: (name: string) => string | undefined,
): SigningConfig['identity'] | undefined {
  const own: Partial<NonNullable<ProviderConfig['identity']>> = identity ?? {};
  const { access_key_id: id, secret_access_key: secret, session_token: token, metadata = false } = own;
  if (auth.type === 'google') return resolveGoogleTokenSources({ file: own.file, metadata }, variable);
  if (auth.type !== 'sigv4') return undefined;
  const settings = {
    service: auth.service,
    region: region ?? '',
    keys: id !== undefined && secret !== undefined ? { id, secret, token } : undefined,
    profile: own.profile,
    metadata,
    roleArn,
    externalId: own.external_id,
  };
  return resolveAwsCredentialSources(settings, variable);
}

/**
 * Returns the signing configuration for an identity, including how to connect to its token
 * services. Returns undefined if there is no identity.
 */
export function createSigningConfig(
  identity: SigningConfig['identity'] | undefined,
  outbound: ResolvedOutboundConnections,
): SigningConfig | undefined {
  if (identity === undefined) return undefined;
  const key = createHash('sha256').update(JSON.stringify(identity)).digest('base64url');
  return { key, identity, via: (origin) => outbound.via(origin) };
}
