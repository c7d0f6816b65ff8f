import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject, parseJsonExactly } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import { openSecret, type SecretsKey, sealSecret, UnreadableSecretError } from '../../platform/secrets.ts';
import type { Database } from '../../store/ports.ts';
import {
  deleteStoredResponses,
  findStoredResponse,
  getStoredResponseChain,
  insertStoredResponses,
  replaceStoredResponse,
  type StoredResponseOwner,
  type StoredResponseRow,
} from '../../store/stored-responses.ts';

const DAY_MS = 24 * 3_600_000;
/** Turns that wait while one transaction is under way commit in the next one together, this many at most. */
const TURNS_PER_COMMIT = 200;

/** One request to Responses and its answer. */
export interface StoredTurn {
  /** Of the exchange that made it. */
  readonly id: string;
  readonly orgId: string;
  readonly keyId: string;
  /** `id` of the turn it went on from. */
  readonly previousId: string | null;
  readonly createdAt: number;
  /** Provider and credential that answered (`Provider.sealOrigin`). */
  readonly origin: string;
  /** The provider keeps the answer too, under the same id. */
  readonly held: boolean;
  /** The request's own items, without those of earlier turns. */
  readonly input: readonly JsonObject[];
  /** The answer as the client got it. */
  readonly response: JsonObject;
}

/** Stored turns, encrypted at rest. Every method fails with what the database fails with. */
export interface TurnStore {
  /** Resolves when the turn is committed. */
  store(turn: StoredTurn): Promise<void>;
  /** The turn a client knows by `responseId`; undefined when it is not the owner's, expired or unknown. */
  find(owner: StoredResponseOwner, responseId: string): Promise<StoredTurn | undefined>;
  /** The turn and all before it, oldest first; undefined when one of them is gone. */
  conversation(turn: StoredTurn): Promise<readonly StoredTurn[] | undefined>;
  /** Puts the final answer of a background response in its place. */
  replace(turn: StoredTurn, response: JsonObject): Promise<void>;
  /** False when there was nothing to remove. */
  remove(owner: StoredResponseOwner, responseId: string): Promise<boolean>;
}

export interface TurnStoreOptions {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly key: SecretsKey;
  readonly clock: Clock;
  /** `retention.responses_days` as it is now. */
  readonly retentionDays: () => number;
}

export function createTurnStore({ database, key, clock, retentionDays }: TurnStoreOptions): TurnStore {
  const commit = createBatchWriter(async (rows) => {
    await database.transaction((writer) => insertStoredResponses(writer, rows));
  });
  const find = async (owner: StoredResponseOwner, responseId: string) => {
    const row = await findStoredResponse(
      database.read,
      owner,
      responseId,
      clock.now() - retentionDays() * DAY_MS,
    );
    return row && decryptTurn(row, key);
  };
  return {
    store: (turn) => commit(encryptTurn(turn, key)),
    find,
    async conversation(turn) {
      if (turn.previousId === null) return [turn];
      const rows = await getStoredResponseChain(database.read, turn.id);
      // A chain that does not reach a first turn has lost one to deletion.
      if (rows.at(-1)?.previous_id !== null) return undefined;
      return rows.reverse().map((row) => decryptTurn(row, key));
    },
    replace: (turn, response) =>
      database.transaction((writer) =>
        replaceStoredResponse(writer, turn.id, encryptTurn({ ...turn, response }, key).sealed),
      ),
    remove: (owner, responseId) =>
      database.transaction((writer) => deleteStoredResponses(writer, owner, responseId)),
  };
}

/**
 * One transaction at a time: turns that arrive meanwhile share the next one. A database lock is taken once for
 * all of them, and a lone turn waits for nobody.
 */
function createBatchWriter(
  write: (rows: StoredResponseRow[]) => Promise<void>,
): (row: StoredResponseRow) => Promise<void> {
  let waiting: {
    readonly row: StoredResponseRow;
    readonly resolve: () => void;
    readonly reject: (why: unknown) => void;
  }[] = [];
  let busy = false;
  async function run(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, TURNS_PER_COMMIT);
      waiting = waiting.slice(TURNS_PER_COMMIT);
      try {
        await write(batch.map(({ row }) => row));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  }
  return (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (!busy) void run();
    });
}

function encryptTurn(turn: StoredTurn, key: SecretsKey): StoredResponseRow {
  const { id, orgId, input, response } = turn;
  return {
    id,
    org_id: orgId,
    key_id: turn.keyId,
    response_id: String(response['id']),
    previous_id: turn.previousId,
    created_at: turn.createdAt,
    origin: turn.origin,
    stored_by_provider: turn.held ? 1 : 0,
    sealed: sealSecret(JSON.stringify({ input, response }), { orgId, rowId: id, version: 1 }, key),
  };
}

function decryptTurn(row: StoredResponseRow, key: SecretsKey): StoredTurn {
  const { input, response } = decryptContent(row, key);
  return {
    id: row.id,
    orgId: row.org_id,
    keyId: row.key_id,
    previousId: row.previous_id,
    createdAt: row.created_at,
    origin: row.origin,
    held: row.stored_by_provider === 1,
    input,
    response,
  };
}

/** @throws Fault when it does not open: an operator has to look, not the client. */
function decryptContent(row: StoredResponseRow, key: SecretsKey): Pick<StoredTurn, 'input' | 'response'> {
  try {
    const text = openSecret(row.sealed, { orgId: row.org_id, rowId: row.id, version: 1 }, key);
    const content = parseJsonExactly(text);
    if (isObject(content) && Array.isArray(content.input) && isObject(content.response))
      return { input: content.input.filter(isObject), response: content.response };
  } catch (cause) {
    if (!(cause instanceof UnreadableSecretError) && !(cause instanceof SyntaxError)) throw cause;
    throw unreadableTurnFault(cause);
  }
  throw unreadableTurnFault();
}

function unreadableTurnFault(cause?: Error): Fault {
  const message =
    cause instanceof UnreadableSecretError && cause.reason === 'wrong_key'
      ? 'The stored response is encrypted with a key that is not configured. The operator must append the previous key to FLOE_ENCRYPTION_KEYS.'
      : 'The stored response is damaged and cannot be read.';
  return new Fault('internal_error', message, { cause });
}
