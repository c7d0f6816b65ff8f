import { createHash } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { openSecret, type SecretBinding, type SecretsKey, sealSecret } from '../platform/secrets.ts';
import {
  findIdempotentCreation,
  type IdempotentCreationRow,
  storeIdempotentCreation,
} from '../store/idempotent-creations.ts';
import type { DatabaseWriter } from '../store/ports.ts';

/** How long the answer to a creation is kept for a client that asks again. */
const STORED_ANSWER_TTL_MS = 24 * 60 * 60 * 1000;

/** A creation that came with an Idempotency-Key. */
export interface IdempotentCreation {
  readonly orgId: string;
  readonly verb: string;
  readonly actorId: string;
  readonly idempotencyKey: string;
  /** Everything that was asked. */
  readonly request: unknown;
}

export interface CompletedCreation extends IdempotentCreation {
  readonly answer: unknown;
}

/** A creation that may be answered again; null for all other requests. */
export function toIdempotentCreation(
  verb: {
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
): IdempotentCreation | null {
  const { idempotencyKey, params, query, body } = sent;
  if (
    idempotencyKey === undefined ||
    verb.method !== 'POST' ||
    verb.status !== 201 ||
    verb.handlesIdempotency
  )
    return null;
  const request = [params, query, body];
  return { orgId: actor.orgId, verb: verb.name, actorId: actor.id, idempotencyKey, request };
}

/**
 * What the same creation was answered before; undefined the first time.
 *
 * @throws Fault `conflict` when the key came with another request
 */
export async function findStoredAnswer<Answer>(
  writer: DatabaseWriter,
  creation: IdempotentCreation,
  key: SecretsKey,
  nowMs: number,
): Promise<{ readonly answer: Answer } | undefined> {
  const row = await findIdempotentCreation(writer, toCreationColumns(creation), nowMs);
  if (!row) return undefined;
  if (row.request_hash !== hashJson(creation.request))
    throw new Fault(
      'conflict',
      'This Idempotency-Key was already used with a different request. Use a new key.',
      {
        param: 'Idempotency-Key',
      },
    );
  return { answer: parseStoredAnswer<Answer>(openSecret(row.sealed, answerBinding(row), key)) };
}

/** What was sealed under the name of a verb is what that verb answered. */
function parseStoredAnswer<Answer>(text: string): Answer {
  return JSON.parse(text) as Answer;
}

/** Belongs in the transaction of the creation. The answer is sealed: it may show a secret that is stored nowhere. */
export async function storeCreationAnswer(
  writer: DatabaseWriter,
  creation: CompletedCreation,
  key: SecretsKey,
  nowMs: number,
): Promise<void> {
  const columns = toCreationColumns(creation);
  const sealed = sealSecret(JSON.stringify(creation.answer), answerBinding(columns), key);
  const request_hash = hashJson(creation.request);
  await storeIdempotentCreation(
    writer,
    { ...columns, request_hash, sealed, expires_at: nowMs + STORED_ANSWER_TTL_MS },
    nowMs,
  );
}

/** A key is the caller's own: another one cannot ask what it was answered. */
function toCreationColumns({ orgId, verb, actorId, idempotencyKey }: IdempotentCreation) {
  return { org_id: orgId, verb, idempotency_key: hashJson([actorId, idempotencyKey]) };
}

type CreationColumns = Pick<IdempotentCreationRow, 'org_id' | 'verb' | 'idempotency_key'>;

function answerBinding({ org_id, verb, idempotency_key }: CreationColumns): SecretBinding {
  return { orgId: org_id, rowId: `${verb} ${idempotency_key}`, version: 1 };
}

function hashJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url');
}
