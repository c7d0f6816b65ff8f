import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** A table whose rows are part of the snapshot, and the columns on which the snapshot depends. */
interface SnapshotTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** What a change concerns, as expressions in which `$` stands for the old or the new row. */
  readonly subjects: readonly { readonly kind: string; readonly id: string; readonly when?: string }[];
}

const ORG = [{ kind: 'org', id: '$.org_id' }];
const RULE_COLUMNS = ['rule_json', 'created_at'];

const SNAPSHOT_TABLES: readonly SnapshotTable[] = [
  {
    table: 'platform_keys',
    columns: [
      ...['org_id', 'name', 'hash', 'prefix', 'last4', 'scopes_json', 'models_json', 'paths_json', 'team'],
      ...['owner', 'expires_at', 'revoked_at', 'previous_hash', 'previous_prefix', 'previous_last4'],
      ...['previous_until', 'rotated_at'],
    ],
    subjects: [
      { kind: 'key', id: '$.hash' },
      { kind: 'key', id: '$.previous_hash', when: '$.previous_hash is not null' },
    ],
  },
  { table: 'orgs', columns: ['name', 'timezone', 'created_at'], subjects: [{ kind: 'org', id: '$.id' }] },
  {
    table: 'config_entries',
    columns: [
      ...['kind', 'id', 'row_id', 'position', 'entry_json', 'secrets_sealed', 'secrets_version', 'source'],
    ],
    subjects: ORG,
  },
  {
    table: 'provider_credentials',
    columns: ['provider_id', 'name', 'weight', 'origin', 'sealed', 'version', 'created_at'],
    subjects: ORG,
  },
  { table: 'limits', columns: RULE_COLUMNS, subjects: ORG },
  { table: 'budgets', columns: RULE_COLUMNS, subjects: ORG },
  { table: 'relay_rules', columns: RULE_COLUMNS, subjects: ORG },
  {
    table: 'settings',
    columns: ['value'],
    subjects: [{ kind: 'org', id: 'substr($.name, 14)', when: "$.name like 'cache_purges:%'" }],
  },
];

/**
 * The migration that adds the log of changes to the snapshot. Triggers write the log, so that every change of
 * a row is recorded. Each subject has one row, with the number of its last change.
 */
export const snapshotChangesMigration: Migration = {
  number: 5,
  name: 'snapshot-changes',
  compatibleFrom: 1,
  async up(writer, engine) {
    const text = engine === 'postgres' ? 'text collate "C"' : 'text';
    const statements = [
      `create table snapshot_changes (kind ${text} not null, id ${text} not null, seq bigint not null,
        constraint snapshot_changes_key primary key (kind, id))`,
      'create index snapshot_changes_by_seq on snapshot_changes (seq)',
      `create index platform_keys_by_previous_hash on platform_keys (previous_hash)
        where previous_hash is not null`,
      ...SNAPSHOT_TABLES.flatMap(engine === 'postgres' ? postgresTriggers : sqliteTriggers),
    ];
    for (const statement of statements) await sql.raw(statement).execute(writer);
  },
};

function sqliteTriggers(of: SnapshotTable): string[] {
  const { table, columns } = of;
  const isChanged = columns.map((column) => `old.${column} is not new.${column}`).join(' or ');
  return [
    `create trigger ${table}_inserted after insert on ${table} begin ${record(of, 'new')} end`,
    `create trigger ${table}_deleted after delete on ${table} begin ${record(of, 'old')} end`,
    `create trigger ${table}_changed after update of ${columns.join(', ')} on ${table} when ${isChanged}
      begin ${record(of, 'old')} ${record(of, 'new')} end`,
  ];
}

function postgresTriggers(of: SnapshotTable): string[] {
  const { table, columns } = of;
  const isSame = columns.map((column) => `old.${column} is not distinct from new.${column}`).join(' and ');
  return [
    `create function record_${table}_change() returns trigger language plpgsql as $body$ begin
      if tg_op = 'UPDATE' then if ${isSame} then return null; end if; end if;
      if tg_op <> 'INSERT' then ${record(of, 'old')} end if;
      if tg_op <> 'DELETE' then ${record(of, 'new')} end if;
      return null;
    end $body$`,
    `create trigger ${table}_changed after insert or delete or update of ${columns.join(', ')} on ${table}
      for each row execute function record_${table}_change()`,
  ];
}

/** Returns the SQL statements that give the subjects of a row the next number. */
function record({ subjects }: SnapshotTable, row: 'old' | 'new'): string {
  const next = '(select coalesce(max(seq), 0) + 1 from snapshot_changes)';
  return subjects
    .map(({ kind, id, when = 'true' }) => {
      const insert = `insert into snapshot_changes (kind, id, seq) select '${kind}', ${id}, ${next} where ${when}`;
      return `${insert} on conflict (kind, id) do update set seq = excluded.seq;`.replaceAll('$', row);
    })
    .join(' ');
}
