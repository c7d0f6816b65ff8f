import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Engine } from '../ports.ts';
import { type Migration, orderedText } from './migration.ts';

type Columns = Readonly<Record<string, 'text' | 'text?' | 'bigint' | 'bigint?'>>;

const TABLES: Readonly<Record<string, Columns>> = {
  relay_decisions: {
    event: 'text',
    decision: 'text',
    would: 'text',
    rule: 'text?',
    mode: 'text?',
    what: 'text',
    session_id: 'text?',
    agent: 'text',
    agent_version: 'text?',
    client_version: 'text?',
    key_id: 'text',
    key_name: 'text',
    team: 'text?',
    owner: 'text?',
    repository: 'text?',
    cwd: 'text?',
    reason: 'text?',
    user_message: 'text?',
    agent_message: 'text?',
    hits_json: 'text',
    findings_json: 'text',
    event_json: 'text?',
    approval_id: 'text?',
    latency_us: 'bigint',
  },
  relay_reports: {
    type: 'text',
    session_id: 'text?',
    tool_use_id: 'text?',
    agent: 'text',
    agent_version: 'text?',
    key_id: 'text',
    key_name: 'text',
    owner: 'text?',
    details_json: 'text',
  },
  relay_approvals: {
    expires_at: 'bigint',
    state: 'text',
    scope: 'text?',
    decision_id: 'text',
    event: 'text',
    rules_json: 'text',
    input_hash: 'text',
    session_id: 'text?',
    agent: 'text',
    key_id: 'text',
    key_name: 'text',
    owner: 'text?',
    repository: 'text?',
    what: 'text',
    reason: 'text',
    decided_at: 'bigint?',
    decided_by: 'text?',
    note: 'text?',
    used_at: 'bigint?',
  },
};

/** Ways in beside time: each list can be narrowed by these. */
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  relay_decisions: ['decision', 'rule', 'session_id', 'key_name'],
  relay_reports: ['session_id'],
  relay_approvals: ['state', 'session_id'],
};

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const ofOrg = (column: ColumnDefinitionBuilder) => column.notNull().references('orgs.id');

/** What agents asked and were answered, the questions that waited for a person, sessions, and rules of the console. */
export const relay: Migration = {
  number: 14,
  name: 'relay',
  async up({ schema }, engine) {
    for (const [table, columns] of Object.entries(TABLES)) await createLog(schema, engine, table, columns);
    const text = orderedText(engine);
    await schema
      .createTable('relay_sessions')
      .addColumn('org_id', text, ofOrg)
      .addColumn('session_id', text, required)
      .addColumn('key_id', text, required)
      .addColumn('key_name', text, required)
      .addColumn('owner', text)
      .addColumn('agent', text)
      .addColumn('agent_version', text)
      .addColumn('client_version', text)
      .addColumn('first_at', 'bigint', required)
      .addColumn('last_at', 'bigint', required)
      .addColumn('model_requests', 'bigint', required)
      .addColumn('last_model_at', 'bigint')
      .addColumn('relay_calls', 'bigint', required)
      .addColumn('last_relay_at', 'bigint')
      .addPrimaryKeyConstraint('relay_sessions_key', ['org_id', 'session_id', 'key_id'])
      .execute();
    await schema
      .createIndex('relay_sessions_by_time')
      .on('relay_sessions')
      .columns(['org_id', 'last_at'])
      .execute();
    await schema
      .createIndex('relay_sessions_by_call')
      .on('relay_sessions')
      .columns(['last_relay_at'])
      .execute();
    await schema
      .createTable('relay_rules')
      .addColumn('id', text, required)
      .addColumn('org_id', text, ofOrg)
      .addColumn('rule_json', text, required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addColumn('updated_by', text, required)
      .addPrimaryKeyConstraint('relay_rules_key', ['org_id', 'id'])
      .execute();
  },
};

async function createLog(
  schema: Kysely<unknown>['schema'],
  engine: Engine,
  table: string,
  columns: Columns,
): Promise<void> {
  const text = orderedText(engine);
  let creating = schema
    .createTable(table)
    .addColumn('id', text, required)
    .addColumn('org_id', text, ofOrg)
    .addColumn('created_at', 'bigint', required);
  for (const [name, type] of Object.entries(columns)) {
    const isOptional = type.endsWith('?');
    creating = creating.addColumn(
      name,
      type.startsWith('bigint') ? 'bigint' : text,
      isOptional ? (column) => column : required,
    );
  }
  await creating.addPrimaryKeyConstraint(`${table}_key`, ['org_id', 'id']).execute();
  for (const [n, way] of [[], ...(INDEXES[table] ?? []).map((column) => [column])].entries())
    await schema
      .createIndex(`${table}_${n === 0 ? 'by_time' : `by_${way[0]}`}`)
      .on(table)
      .columns(['org_id', ...way, 'created_at', 'id'])
      .execute();
}
