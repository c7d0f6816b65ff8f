import { Fault } from '@floe/contract/faults';
import {
  decryptSecret,
  encryptSecret,
  type SecretEncryptionKey,
  UnreadableSecretError,
} from '../../platform/secrets.ts';
import type { BodySink } from '../../store/spool/body-sink.ts';
import type { StoredBodiesRow } from '../../store/stored-bodies.ts';
import { type ExchangeBodies, parseStoredBodies } from './stored-body.ts';

/** Data about the exchange that stored bodies belong to: its id, organization, key, owner and time. */
export interface BodyMetadata {
  /** Id of the exchange. */
  readonly id: string;
  readonly orgId: string;
  readonly keyId: string;
  readonly owner: string | null;
  readonly createdAt: number;
}

/** Encrypts request and response bodies and writes them to disk. */
export interface BodyStore {
  store(owner: BodyMetadata, bodies: ExchangeBodies): void;
  /**
   * Decrypts the bodies of an exchange.
   * @throws Fault `internal_error` if they cannot be decrypted; an operator must then act
   */
  open(row: StoredBodiesRow): ExchangeBodies;
}

/** Creates a body store that encrypts bodies with `key` and appends them to `sink`. */
export function createBodyStore(sink: Pick<BodySink, 'append'>, key: SecretEncryptionKey): BodyStore {
  return {
    store({ id, orgId, keyId, owner, createdAt }, bodies) {
      const ciphertext = encryptSecret(JSON.stringify(bodies), { orgId, rowId: id, version: 1 }, key);
      sink.append({ id, org_id: orgId, key_id: keyId, owner, created_at: createdAt, sealed: ciphertext });
    },
    open({ id, org_id, sealed }) {
      try {
        const bodies = parseStoredBodies(
          decryptSecret(sealed, { orgId: org_id, rowId: id, version: 1 }, key),
        );
        if (bodies) return bodies;
      } catch (cause) {
        if (!(cause instanceof UnreadableSecretError) && !(cause instanceof SyntaxError)) throw cause;
        throw unreadableBodiesFault(cause);
      }
      throw unreadableBodiesFault();
    },
  };
}

function unreadableBodiesFault(cause?: Error): Fault {
  const message =
    cause instanceof UnreadableSecretError && cause.reason === 'wrong_key'
      ? 'The stored bodies of this request are encrypted with a different secret key. Ask an operator to start Floe with the secret key that was in use when the bodies were stored (FLOE_SECRET_KEY, or secret.key in the data directory).'
      : 'The stored bodies of this request are damaged and cannot be read.';
  return new Fault('internal_error', message, { cause });
}
