import type { ConnectionOptions } from '../outbound.ts';
import type { AwsIdentity } from './aws-identity.ts';
import type { GoogleIdentity } from './google-identity.ts';

/**
 * Who signs the requests of a provider, as data. What is fetched for it (tokens, temporary keys) is kept beside
 * the transport under `key`, so that it outlives a reload of the configuration.
 */
export interface SigningConfig {
  /** The same for the same identity, whatever else the configuration says. */
  readonly key: string;
  readonly identity: AwsIdentity | GoogleIdentity;
  /** How the services that hand out tokens are reached. */
  readonly via: (origin: string) => ConnectionOptions | undefined;
}
