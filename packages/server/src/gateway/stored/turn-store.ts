import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject, parseJsonExactly } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { runForOrg } from '../../core/org-context.ts';
import { replaceUnstorableCharacters } from '../../core/unstorable-characters.ts';
import {
  decryptSecret,
  encryptSecret,
  type SecretEncryptionKey,
  UnreadableSecretError,
} from '../../platform/secrets.ts';
import { isDatabaseUnavailable } from '../../store/is-database-unavailable.ts';
import type { Database } from '../../store/store-interfaces.ts';
import {
  deleteStoredResponses,
  findStoredResponse,
  insertStoredResponses,
  listStoredConversationTurns,
  replaceStoredResponse,
  type StoredResponseFilter,
  type StoredResponseRow,
} from '../../store/stored-responses.ts';

const DAY_MS = 24 * 3_600_000;
/**
 * Maximum number of turns per transaction. Turns that arrive during a transaction are stored in the next one.
 */
const TURNS_PER_COMMIT = 200;
/** Maximum length of a response id. The index of PostgreSQL accepts at most about 2,700 bytes. */
const MAX_ID_CHARACTERS = 512;
/** Maximum size of all encrypted turns of a conversation together. */
const MAX_CONVERSATION_BYTES = 64 * 1024 * 1024;

/** One turn of a conversation: a stored Responses request and its response. */
export interface StoredTurn {
  /** The id of the turn's exchange. */
  readonly id: string;
  readonly orgId: string;
  readonly keyId: string;
  /** The id of the previous turn; null if there is none. */
  readonly previousId: string | null;
  readonly createdAt: number;
  /** The provider and credential that generated the response (`Provider.sealOrigin`). */
  readonly origin: string;
  /** Whether the provider also stores the response under the same id. */
  readonly held: boolean;
  /** The model that the client requested. */
  readonly model: string;
  /** The request's own items, without those of earlier turns. */
  readonly input: readonly JsonObject[];
  /** The response as the client received it. */
  readonly response: JsonObject;
}

/** Stores turns. Turns are encrypted at rest. Every method throws if the database fails. */
export interface TurnStore {
  /** Resolves when the turn is committed. */
  store(turn: StoredTurn): Promise<void>;
  /**
   * Returns the turn with this `responseId`; undefined if it has another owner, expired or does not exist.
   */
  find(owner: StoredResponseFilter, responseId: string): Promise<StoredTurn | undefined>;
  /**
   * Returns the turn and all turns before it, oldest first; undefined if one of them was deleted.
   * @throws Fault `request_too_large` if all turns together are too large
   */
  conversation(turn: StoredTurn): Promise<readonly StoredTurn[] | undefined>;
  /** Replaces a background response with its final version. */
  replace(turn: StoredTurn, response: JsonObject): Promise<void>;
  /** Deletes a turn. Returns false if it does not exist or has another owner. */
  remove(owner: StoredResponseFilter, responseId: string): Promise<boolean>;
}

/** The settings and dependencies of a turn store. */
export interface TurnStoreOptions {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly key: SecretEncryptionKey;
  readonly clock: Clock;
  /** The current value of `retention.responses_days`. */
  readonly retentionDays: () => number;
}

/** Creates a turn store that encrypts turns with `key`. */
export function createTurnStore({ database, key, clock, retentionDays }: TurnStoreOptions): TurnStore {
  const commit = createBatchWriter(async (rows) => {
    await database.transaction((writer) => insertStoredResponses(writer, rows));
  });
  const find = async (owner: StoredResponseFilter, responseId: string) => {
    if (!isStorableId(responseId)) return undefined;
    const row = await runForOrg(owner.orgId, () =>
      findStoredResponse(database.read, owner, responseId, clock.now() - retentionDays() * DAY_MS),
    );
    return row && decryptTurn(row, key);
  };
  return {
    async store(turn) {
      if (!isStorableId(String(turn.response['id']))) throw new Error(UNSTORABLE_ID_MESSAGE);
      await commit(encryptTurn(turn, key));
    },
    find,
    async conversation(turn) {
      if (turn.previousId === null) return [turn];
      const rows = await runForOrg(turn.orgId, () =>
        listStoredConversationTurns(database.read, turn.id, MAX_CONVERSATION_BYTES),
      );
      checkConversationSize(rows);
      // If the chain does not end with a first turn, a turn has been deleted.
      if (rows.at(-1)?.previous_id !== null) return undefined;
      return decryptConversation(rows.reverse(), key);
    },
    replace: (turn, response) =>
      runForOrg(turn.orgId, () =>
        database.transaction((writer) =>
          replaceStoredResponse(writer, turn.id, encryptTurn({ ...turn, response }, key).sealed),
        ),
      ),
    remove: (owner, responseId) =>
      runForOrg(owner.orgId, () =>
        database.transaction((writer) => deleteStoredResponses(writer, owner, responseId)),
      ),
  };
}

const UNSTORABLE_ID_MESSAGE = `the response id of the provider is longer than ${MAX_ID_CHARACTERS} characters, or contains characters that the database cannot store`;

/** Returns whether a response id can be stored. The provider or the client chose it. */
function isStorableId(id: string): boolean {
  return id.length <= MAX_ID_CHARACTERS && id === replaceUnstorableCharacters(id);
}

/** A row that waits for its transaction. */
interface WaitingRow {
  readonly row: StoredResponseRow;
  readonly resolve: () => void;
  readonly reject: (why: unknown) => void;
}

/**
 * Creates a writer that runs one transaction at a time. Rows that arrive during a transaction share the next
 * one, so that a database lock is acquired once for all of them. A single row does not wait. If the database
 * rejects a batch, its rows are written one at a time, so that no row prevents the storage of others.
 */
function createBatchWriter(
  write: (rows: StoredResponseRow[]) => Promise<void>,
): (row: StoredResponseRow) => Promise<void> {
  let waiting: WaitingRow[] = [];
  let busy = false;
  async function writeBatch(batch: readonly WaitingRow[]): Promise<void> {
    try {
      await write(batch.map(({ row }) => row));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && !isDatabaseUnavailable(error)) {
        for (const one of batch) await writeBatch([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
  async function run(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, TURNS_PER_COMMIT);
      waiting = waiting.slice(TURNS_PER_COMMIT);
      await writeBatch(batch);
    }
    busy = false;
  }
  return (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      if (!busy) void run();
    });
}

function encryptTurn(turn: StoredTurn, key: SecretEncryptionKey): StoredResponseRow {
  const { id, orgId, model, input, response } = turn;
  return {
    id,
    org_id: orgId,
    key_id: turn.keyId,
    response_id: String(response['id']),
    previous_id: turn.previousId,
    created_at: turn.createdAt,
    origin: turn.origin,
    stored_by_provider: turn.held ? 1 : 0,
    sealed: encryptSecret(JSON.stringify({ model, input, response }), { orgId, rowId: id, version: 1 }, key),
  };
}

/** @throws Fault `request_too_large`. The encrypted turns consist of ASCII characters. */
function checkConversationSize(rows: readonly StoredResponseRow[]): void {
  if (rows.reduce((sum, { sealed }) => sum + sealed.length, 0) <= MAX_CONVERSATION_BYTES) return;
  throw new Fault(
    'request_too_large',
    'The stored conversation is larger than 64 MB. Instead of "previous_response_id", send the part of the conversation that the model needs as "input".',
    { param: 'previous_response_id' },
  );
}

async function decryptConversation(
  rows: readonly StoredResponseRow[],
  key: SecretEncryptionKey,
): Promise<readonly StoredTurn[]> {
  // A conversation has up to 10,000 turns. Some turns take a second to parse.
  const yielder = new EventLoopYielder();
  const turns: StoredTurn[] = [];
  for (const row of rows) {
    turns.push(decryptTurn(row, key));
    await yielder.endStep();
  }
  return turns;
}

function decryptTurn(row: StoredResponseRow, key: SecretEncryptionKey): StoredTurn {
  const { model, input, response } = decryptStoredTurn(row, key);
  return {
    id: row.id,
    orgId: row.org_id,
    keyId: row.key_id,
    previousId: row.previous_id,
    createdAt: row.created_at,
    origin: row.origin,
    held: row.stored_by_provider === 1,
    model,
    input,
    response,
  };
}

/**
 * Decrypts the requested model, the input and the response of a stored turn.
 *
 * @throws Fault `internal_error` if it cannot be decrypted; an operator must then act
 */
export function decryptStoredTurn(
  row: StoredResponseRow,
  key: SecretEncryptionKey,
): Pick<StoredTurn, 'model' | 'input' | 'response'> {
  try {
    const text = decryptSecret(row.sealed, { orgId: row.org_id, rowId: row.id, version: 1 }, key);
    const content = parseJsonExactly(text);
    if (isJsonObject(content) && Array.isArray(content.input) && isJsonObject(content.response))
      return {
        // Turns of earlier versions contain only the model that the response states.
        model: String(content.model ?? content.response.model ?? ''),
        input: content.input.filter(isJsonObject),
        response: content.response,
      };
  } catch (cause) {
    if (!(cause instanceof UnreadableSecretError) && !(cause instanceof SyntaxError)) throw cause;
    throw unreadableTurnFault(cause);
  }
  throw unreadableTurnFault();
}

function unreadableTurnFault(cause?: Error): Fault {
  const message =
    cause instanceof UnreadableSecretError && cause.reason === 'wrong_key'
      ? 'The stored response is encrypted with a key that is not configured. Ask an operator to append the previous key to FLOE_ENCRYPTION_KEYS.'
      : 'The stored response is damaged and cannot be read. Send the full conversation in "input".';
  return new Fault('internal_error', message, { cause });
}
