import type { ConnectionOptions } from '../outbound.ts';
import type { AwsCredentialSources } from './aws-credential-sources.ts';
import type { GoogleIdentity } from './google-identity.ts';

/**
 * How to sign a provider's requests. The transport caches tokens and temporary keys under `key`, so that they
 * are not lost when the configuration is reloaded.
 */
export interface SigningConfig {
  /** Identifies the cached credentials. It is the same for equal identities, regardless of other settings. */
  readonly key: string;
  readonly identity: AwsCredentialSources | GoogleIdentity;
  /** Returns how to connect to the services that issue tokens. */
  readonly via: (origin: string) => ConnectionOptions | undefined;
}
