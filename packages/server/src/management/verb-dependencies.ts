import type { Clock } from '../core/clock.ts';
import type { Actor } from '../platform/actor.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import type { Database } from '../store/ports.ts';

/** Which part of the running snapshot a write makes stale. */
export type SnapshotPart = 'keys' | 'config' | 'cache' | 'guardrails' | 'breakers' | 'org' | 'relay';

/** What verbs stand on; given once by `main.ts`. */
export interface VerbDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Called after a commit; resolves when a snapshot whose load began after this call is in use. */
  refreshSnapshot(topic: SnapshotPart, orgId: string): Promise<void>;
  /** Seals what is remembered of creations. */
  readonly secretsKey: SecretsKey;
}

/** Who asks, and when. */
export interface VerbContext {
  readonly orgId: string;
  readonly actor: Actor;
  readonly clock: Clock;
}
