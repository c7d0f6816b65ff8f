import { type RawBuilder, sql } from 'kysely';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** The columns with encrypted text, by table. */
const ENCRYPTED_COLUMNS = {
  channels: {
    key: ['id'],
    id: sql.ref('id'),
    name: sql.ref('name'),
    text: 'secrets_sealed',
    version: sql.ref('secrets_version'),
    batch: 200,
  },
  config_entries: {
    key: ['org_id', 'kind', 'id'],
    id: sql.ref('row_id'),
    name: sql`kind || '/' || id`,
    text: 'secrets_sealed',
    version: sql.ref('secrets_version'),
    batch: 200,
  },
  provider_credentials: {
    key: ['id'],
    id: sql.ref('id'),
    name: sql`provider_id || '/' || name`,
    text: 'sealed',
    version: sql.ref('version'),
    batch: 200,
  },
  idempotent_creations: {
    key: ['org_id', 'verb', 'idempotency_key'],
    id: sql`verb || ' ' || idempotency_key`,
    name: sql.ref('verb'),
    text: 'sealed',
    version: sql`1`,
    batch: 200,
  },
  // A stored response may have several megabytes.
  stored_responses: {
    key: ['id'],
    id: sql.ref('id'),
    name: sql.ref('response_id'),
    text: 'sealed',
    version: sql`1`,
    batch: 20,
  },
} as const satisfies Record<
  string,
  {
    /** The columns of the primary key. */
    key: readonly string[];
    id: RawBuilder<unknown>;
    name: RawBuilder<unknown>;
    text: string;
    version: RawBuilder<unknown>;
    batch: number;
  }
>;

/** A table with encrypted text. */
export type EncryptedTable = keyof typeof ENCRYPTED_COLUMNS;

/** All tables with encrypted text. */
export const ENCRYPTED_TABLES: readonly EncryptedTable[] = [
  'channels',
  'config_entries',
  'provider_credentials',
  'idempotent_creations',
  'stored_responses',
];

/** A row with an encrypted text. */
export interface EncryptedTextRow {
  readonly orgId: string;
  readonly rowId: string;
  /** The name that users see, such as the provider and the name of a credential. */
  readonly name: string;
}

/** An encrypted text, and the row that it is encrypted for. */
export interface EncryptedText extends EncryptedTextRow {
  readonly version: number;
  readonly ciphertext: string;
}

/** A page of encrypted texts, and the position after which the next page starts. Null after the last page. */
export interface EncryptedTextPage {
  readonly texts: readonly EncryptedText[];
  readonly next: readonly string[] | null;
}

/** Returns the next encrypted texts of a table in the order of its primary key. Starts after the given position. */
export async function getEncryptedTextPage(
  reader: DatabaseReader,
  table: EncryptedTable,
  after: readonly string[] | null,
): Promise<EncryptedTextPage> {
  const { key, id, name, text, version, batch } = ENCRYPTED_COLUMNS[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const later = after === null ? sql`` : sql`and (${columns}) > (${sql.join(after)})`;
  const position = sql.join(key.map((column, at) => sql`${sql.ref(column)} as ${sql.ref(`key_${at}`)}`));
  const { rows } = await sql<EncryptedTextColumns & Readonly<Record<`key_${number}`, string>>>`
    select org_id, ${id} as row_id, ${name} as name, ${version} as version, ${sql.ref(text)} as ciphertext, ${position}
    from ${sql.table(table)} where ${sql.ref(text)} is not null ${later}
    order by ${columns} limit ${batch}`.execute(reader);
  const last = rows.at(-1);
  return {
    texts: rows.map((row) => ({
      orgId: row.org_id,
      rowId: row.row_id,
      name: row.name,
      version: Number(row.version),
      ciphertext: row.ciphertext,
    })),
    next: last && rows.length === batch ? key.map((_, at) => last[`key_${at}`] ?? '') : null,
  };
}

interface EncryptedTextColumns {
  readonly org_id: string;
  readonly row_id: string;
  readonly name: string;
  readonly version: number;
  readonly ciphertext: string;
}

/** Returns the rows whose text starts with `prefix`, in the order of their names. */
export async function listEncryptedTextsWithPrefix(
  reader: DatabaseReader,
  table: EncryptedTable,
  prefix: string,
): Promise<EncryptedTextRow[]> {
  const { id, name, text } = ENCRYPTED_COLUMNS[table];
  const { rows } = await sql<Pick<EncryptedTextColumns, 'org_id' | 'row_id' | 'name'>>`
    select org_id, ${id} as row_id, ${name} as name from ${sql.table(table)}
    where substr(${sql.ref(text)}, 1, ${prefix.length}) = ${prefix} order by org_id, name, row_id`.execute(
    reader,
  );
  return rows.map((row) => ({ orgId: row.org_id, rowId: row.row_id, name: row.name }));
}

/** Replaces an encrypted text if it has not changed since it was read. Returns false otherwise. */
export async function replaceEncryptedText(
  writer: DatabaseWriter,
  table: EncryptedTable,
  { orgId, rowId, ciphertext }: EncryptedText,
  replacement: string,
): Promise<boolean> {
  const { id, text } = ENCRYPTED_COLUMNS[table];
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set ${sql.ref(text)} = ${replacement}
    where org_id = ${orgId} and ${id} = ${rowId} and ${sql.ref(text)} = ${ciphertext}`.execute(writer);
  return numAffectedRows === 1n;
}

/**
 * Returns the ids of the keys that stored secrets are encrypted with. Ignores stored responses,
 * because there are many and they expire.
 */
export async function listEncryptionKeyIds(writer: DatabaseWriter): Promise<string[]> {
  const found = new Set<string>();
  for (const table of ENCRYPTED_TABLES) {
    if (table === 'stored_responses') continue;
    const column = sql.ref(ENCRYPTED_COLUMNS[table].text);
    const { rows } = await sql<{ key: string }>`
      select distinct substr(${column}, 5, 8) as key from ${sql.table(table)} where ${column} is not null`.execute(
      writer,
    );
    for (const { key } of rows) found.add(key);
  }
  return [...found];
}
