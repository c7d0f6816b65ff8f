import pg from 'pg';
import { FatalError } from '../core/fatal-error.ts';

/** Tables that `floe import litellm` reads. Older databases may lack some of them. */
const TABLES = [
  'LiteLLM_VerificationToken',
  'LiteLLM_TeamTable',
  'LiteLLM_BudgetTable',
  'LiteLLM_UserTable',
] as const;

/** Columns that are not read, because they may contain secrets or are too large. */
const LEFT_OUT = ['password', 'invitation_links', 'members_with_roles', 'members', 'admins'];

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** The rows of each table as JSON, by table name. The value is null if the table does not exist. */
export type LitellmTables = Readonly<Record<string, readonly unknown[] | null>>;

/**
 * Reads the keys, teams, budgets and users from a LiteLLM database in one read-only transaction.
 * LiteLLM stores keys as SHA-256 hashes, so no key value is read.
 *
 * @throws FatalError with a message that omits the URL, because the URL contains the
 * password
 */
export async function readLitellmTables(url: string): Promise<LitellmTables> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new FatalError('--database: must be a URL such as postgres://user:password@host/litellm');
  const schema = new URL(url).searchParams.get('schema') ?? 'public';
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  // A broken connection also rejects the waiting query.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    const tables: Record<string, readonly unknown[] | null> = {};
    for (const table of TABLES) tables[table] = await readTable(client, schema, table);
    return tables;
  } catch (error) {
    const reason = error instanceof pg.DatabaseError ? `${error.message} (${error.code})` : codeOf(error);
    throw new FatalError(
      `The LiteLLM database cannot be read: ${reason}. Check the URL, and check that the database user in the URL can read the tables.`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readTable(
  client: pg.Client,
  schema: string,
  table: string,
): Promise<readonly unknown[] | null> {
  const name = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
  const found = await client.query<{ found: string | null }>('select to_regclass($1) as found', [name]);
  if (found.rows[0]?.found == null) return null;
  const { rows } = await client.query<{ row: unknown }>(
    `select to_jsonb(t) - $1::text[] as row from ${name} t order by 1`,
    [LEFT_OUT],
  );
  return rows.map(({ row }) => row);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
}
