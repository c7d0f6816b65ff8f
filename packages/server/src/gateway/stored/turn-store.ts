import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject, parseExactly } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import { openSecret, type SecretsKey, SecretUnreadable, sealSecret } from '../../platform/secrets.ts';
import type { Database } from '../../store/ports.ts';
import {
  deleteTurns,
  insertTurns,
  replaceTurn,
  type StoredTurnRow,
  type TurnOwner,
  turnByResponse,
  turnChain,
} from '../../store/stored-turns.ts';

const DAY_MS = 24 * 3_600_000;
/** Turns that wait while one transaction is under way commit in the next one together, this many at most. */
const TURNS_PER_COMMIT = 200;

/** One request to Responses and its answer. */
export interface Turn {
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
  keep(turn: Turn): Promise<void>;
  /** The turn a client knows by `responseId`; undefined when it is not the owner's, expired or unknown. */
  find(owner: TurnOwner, responseId: string): Promise<Turn | undefined>;
  /** The turn and all before it, oldest first; undefined when one of them is gone. */
  conversation(turn: Turn): Promise<readonly Turn[] | undefined>;
  /** Puts the final answer of a background response in its place. */
  replace(turn: Turn, response: JsonObject): Promise<void>;
  /** False when there was nothing to remove. */
  remove(owner: TurnOwner, responseId: string): Promise<boolean>;
}

export interface TurnStoreOptions {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly key: SecretsKey;
  readonly clock: Clock;
  /** `retention.responses_days` as it is now. */
  readonly days: () => number;
}

export function createTurnStore({ database, key, clock, days }: TurnStoreOptions): TurnStore {
  const commit = inBatches(async (rows) => {
    await database.transaction((writer) => insertTurns(writer, rows));
  });
  const find = async (owner: TurnOwner, responseId: string) => {
    const row = await turnByResponse(database.read, owner, responseId, clock.now() - days() * DAY_MS);
    return row && openTurn(row, key);
  };
  return {
    keep: (turn) => commit(sealTurn(turn, key)),
    find,
    async conversation(turn) {
      if (turn.previousId === null) return [turn];
      const rows = await turnChain(database.read, turn.id);
      // A chain that does not reach a first turn has lost one to deletion.
      if (rows.at(-1)?.previous_id !== null) return undefined;
      return rows.reverse().map((row) => openTurn(row, key));
    },
    replace: (turn, response) =>
      database.transaction((writer) =>
        replaceTurn(writer, turn.id, sealTurn({ ...turn, response }, key).sealed),
      ),
    remove: (owner, responseId) => database.transaction((writer) => deleteTurns(writer, owner, responseId)),
  };
}

/**
 * One transaction at a time: turns that arrive meanwhile share the next one. A database lock is taken once for
 * all of them, and a lone turn waits for nobody.
 */
function inBatches(write: (rows: StoredTurnRow[]) => Promise<void>): (row: StoredTurnRow) => Promise<void> {
  let waiting: {
    readonly row: StoredTurnRow;
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

function sealTurn(turn: Turn, key: SecretsKey): StoredTurnRow {
  const { id, orgId, input, response } = turn;
  return {
    id,
    org_id: orgId,
    key_id: turn.keyId,
    response_id: String(response['id']),
    previous_id: turn.previousId,
    created_at: turn.createdAt,
    origin: turn.origin,
    held: turn.held ? 1 : 0,
    sealed: sealSecret(JSON.stringify({ input, response }), { orgId, rowId: id, version: 1 }, key),
  };
}

function openTurn(row: StoredTurnRow, key: SecretsKey): Turn {
  const { input, response } = contentOf(row, key);
  return {
    id: row.id,
    orgId: row.org_id,
    keyId: row.key_id,
    previousId: row.previous_id,
    createdAt: row.created_at,
    origin: row.origin,
    held: row.held === 1,
    input,
    response,
  };
}

/** @throws Fault when it does not open: an operator has to look, not the client. */
function contentOf(row: StoredTurnRow, key: SecretsKey): Pick<Turn, 'input' | 'response'> {
  try {
    const text = openSecret(row.sealed, { orgId: row.org_id, rowId: row.id, version: 1 }, key);
    const content = parseExactly(text);
    if (isObject(content) && Array.isArray(content.input) && isObject(content.response))
      return { input: content.input.filter(isObject), response: content.response };
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable) && !(cause instanceof SyntaxError)) throw cause;
    throw new Fault('internal_error', `A stored response cannot be read: ${cause.message}`, { cause });
  }
  throw new Fault('internal_error', 'A stored response is not what was stored.');
}
