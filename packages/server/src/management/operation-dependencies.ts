import type { Clock } from '../core/clock.ts';
import type { Actor } from '../platform/actor.ts';
import type { SecretEncryptionKey } from '../platform/secrets.ts';
import type { Database } from '../store/store-interfaces.ts';

/** A section of the snapshot that a write makes outdated. */
export type SnapshotPart = 'keys' | 'config' | 'cache' | 'guardrails' | 'breakers' | 'org' | 'relay';

/** The dependencies that all operations share. `main.ts` creates them once. */
export interface OperationDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Called after a commit. Resolves when a snapshot that was loaded after this call is in use. */
  refreshSnapshot(topic: SnapshotPart, orgId: string): Promise<void>;
  /** Encrypts stored responses of idempotent creations. */
  readonly secretsKey: SecretEncryptionKey;
}

/** The actor and the time of a call. */
export interface OperationContext {
  readonly orgId: string;
  readonly actor: Actor;
  readonly clock: Clock;
}
