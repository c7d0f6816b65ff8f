import { createHash } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import {
  decryptSecret,
  encryptSecret,
  type SecretEncryptionKey,
  type SecretLocation,
} from '../platform/secrets.ts';
import {
  findIdempotentCreation,
  type IdempotentCreationRow,
  storeIdempotentCreation,
} from '../store/idempotent-creations.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { requireReadableSecret } from './readable-secret.ts';

/** How long the response to a creation is stored for repeated requests. */
const STORED_ANSWER_TTL_MS = 24 * 60 * 60 * 1000;

/** A create request with an `Idempotency-Key`, and the caller and operation that the key applies to. */
export interface IdempotentCreateRequest {
  readonly orgId: string;
  readonly operation: string;
  readonly actorId: string;
  readonly idempotencyKey: string;
  /** The whole request, for comparison with a repetition. */
  readonly request: unknown;
}

/** A create request and its response. */
export interface CompletedCreateRequest extends IdempotentCreateRequest {
  readonly answer: unknown;
}

/**
 * Returns the idempotency key and the identifying properties of a create request with an
 * `Idempotency-Key`. Null for all other requests.
 */
export function toIdempotentCreateRequest(
  operation: {
    readonly name: string;
    readonly method: string;
    readonly status: number;
    readonly handlesIdempotency?: true;
  },
  actor: { readonly orgId: string; readonly id: string },
  sent: {
    readonly idempotencyKey: string | undefined;
    readonly params: unknown;
    readonly query: unknown;
    readonly body: unknown;
  },
): IdempotentCreateRequest | null {
  const { idempotencyKey, params, query, body } = sent;
  if (
    idempotencyKey === undefined ||
    operation.method !== 'POST' ||
    operation.status !== 201 ||
    operation.handlesIdempotency
  )
    return null;
  const request = [params, query, body];
  return { orgId: actor.orgId, operation: operation.name, actorId: actor.id, idempotencyKey, request };
}

/**
 * Returns the stored response to an earlier request with the same `Idempotency-Key`. Undefined if there is none.
 * @throws Fault `conflict` if the key was used with a different request, or the response cannot be decrypted
 */
export async function findIdempotentResponse<Answer>(
  writer: DatabaseWriter,
  creation: IdempotentCreateRequest,
  key: SecretEncryptionKey,
  nowMs: number,
): Promise<{ readonly answer: Answer } | undefined> {
  const row = await findIdempotentCreation(writer, toCreationColumns(creation), nowMs);
  if (!row) return undefined;
  if (row.request_hash !== hashJson(creation.request))
    throw new Fault(
      'conflict',
      'This Idempotency-Key was already used with a different request. Use a new Idempotency-Key.',
      {
        param: 'Idempotency-Key',
      },
    );
  const text = requireReadableSecret(() => decryptSecret(row.sealed, answerBinding(row), key));
  return { answer: parseStoredAnswer<Answer>(text) };
}

/** The stored text has the response type of the operation, because each operation stores under its own name. */
function parseStoredAnswer<Answer>(text: string): Answer {
  return JSON.parse(text) as Answer;
}

/**
 * Stores the response to a create request. Must be called in the transaction that creates the
 * resource. The response is encrypted, because it may contain a secret that is not stored
 * elsewhere.
 */
export async function storeIdempotentResponse(
  writer: DatabaseWriter,
  creation: CompletedCreateRequest,
  key: SecretEncryptionKey,
  nowMs: number,
): Promise<void> {
  const columns = toCreationColumns(creation);
  const ciphertext = encryptSecret(JSON.stringify(creation.answer), answerBinding(columns), key);
  const request_hash = hashJson(creation.request);
  await storeIdempotentCreation(
    writer,
    { ...columns, request_hash, sealed: ciphertext, expires_at: nowMs + STORED_ANSWER_TTL_MS },
    nowMs,
  );
}

/** A key is scoped to its caller, so another caller cannot read the response. */
function toCreationColumns({ orgId, operation, actorId, idempotencyKey }: IdempotentCreateRequest) {
  return { org_id: orgId, verb: operation, idempotency_key: hashJson([actorId, idempotencyKey]) };
}

type CreationColumns = Pick<IdempotentCreationRow, 'org_id' | 'verb' | 'idempotency_key'>;

function answerBinding({ org_id, verb, idempotency_key }: CreationColumns): SecretLocation {
  return { orgId: org_id, rowId: `${verb} ${idempotency_key}`, version: 1 };
}

function hashJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url');
}
