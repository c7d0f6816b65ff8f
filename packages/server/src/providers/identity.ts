import { createHash } from 'node:crypto';
import type { ProviderConfig } from '@floe/contract/config';
import type { Outbound } from './outbound.ts';
import type { ProviderSheet } from './provider.ts';
import { awsIdentity } from './signing/aws-identity.ts';
import { googleIdentity } from './signing/google-identity.ts';
import type { Signing } from './signing/signing.ts';

/** Who signs the requests of a provider whose kind signs; undefined for all others. */
export function signingOf(
  sheet: ProviderSheet,
  config: Pick<ProviderConfig, 'identity' | 'role_arn'>,
  region: string | undefined,
  outbound: Outbound,
  variable: (name: string) => string | undefined,
): Signing | undefined {
  const { auth } = sheet;
  if (auth.type !== 'sigv4' && auth.type !== 'google') return undefined;
  const own: Partial<NonNullable<ProviderConfig['identity']>> = config.identity ?? {};
  const { access_key_id: id, secret_access_key: secret, session_token: token, metadata = false } = own;
  const identity =
    auth.type === 'google'
      ? googleIdentity({ file: own.file, metadata }, variable)
      : awsIdentity(
          {
            service: auth.service,
            region: region ?? '',
            keys: id !== undefined && secret !== undefined ? { id, secret, token } : undefined,
            profile: own.profile,
            metadata,
            roleArn: config.role_arn,
            externalId: own.external_id,
          },
          variable,
        );
  const key = createHash('sha256').update(JSON.stringify(identity)).digest('base64url');
  return { key, identity, via: (origin) => outbound.via(origin) };
}
