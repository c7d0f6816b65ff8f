import type { ConnectionOptions } from '../outbound.ts';
import type { AwsIdentity } from './aws-identity.ts';
import type { GoogleIdentity } from './google-identity.ts';

/**
 * How a provider's requests are signed. The transport caches tokens and temporary keys under `key`,
 * so that they survive a reload of the configuration.
 */
export interface SigningConfig {
  /** Equal for equal identities, regardless of other settings. */
  readonly key: string;
  readonly identity: AwsIdentity | GoogleIdentity;
  /** Returns how to connect to the services that issue tokens. */
  readonly via: (origin: string) => ConnectionOptions | undefined;
}
