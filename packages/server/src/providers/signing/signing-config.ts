import type { OutboundConnectionOptions } from '../outbound-connections.ts';
import type { AwsCredentialSources } from './aws-credential-sources.ts';
import type { GoogleTokenSources } from './google-token-sources.ts';

/**
 * How to sign a provider's requests. The transport caches tokens and temporary keys under `key`, so that they
 * are not lost when the configuration is reloaded.
 */
export interface SigningConfig {
  /** Identifies the cached credentials. It is the same for equal identities, regardless of other settings. */
  readonly key: string;
  readonly identity: AwsCredentialSources | GoogleTokenSources;
  /** Returns how to connect to the services that issue tokens. */
  readonly via: (origin: string) => OutboundConnectionOptions | undefined;
}
