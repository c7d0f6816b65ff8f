import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { encryptSecret } from '../../platform/secrets.ts';
import type { ExchangeRow } from '../../store/store-interfaces.ts';
import { ingestRows } from '../../store/test/ingest-rows.ts';
import { createApiExchangeRow } from './api-rows.ts';
import { API_TEST_NOW, type RunningApi } from './running-api.ts';
import { apiTestSecretsKey } from './test-api-parts.ts';
import { storeTestBodies } from './test-bodies.ts';

/** More than one batch of an erasure, in all. */
const SEEDED_REQUESTS = 620;
const SEEDED_BODIES = 3;

/** Whose rows are created. All texts of the rows contain `name`, so that rows of two persons share nothing. */
export interface SeededPerson {
  readonly orgId: string;
  readonly name: string;
  readonly keyId: string;
  readonly owner: string | null;
  readonly endUser: string | null;
}

/** What a table row of the person contains in addition to the id of the organization. */
function baseOf({ orgId, name, keyId, owner }: SeededPerson) {
  return { org_id: orgId, key_id: keyId, key_name: `laptop of ${name}`, owner };
}

/** Stores requests with rollups, bodies, stored responses and relay records. */
export async function seedPersonRows(
  t: TestContext,
  api: Pick<RunningApi, 'database'>,
  person: SeededPerson,
): Promise<void> {
  const { orgId, name, endUser } = person;
  const base = baseOf(person);
  const rows = Array.from({ length: SEEDED_REQUESTS }, (_, n): ExchangeRow => {
    const created_at = API_TEST_NOW - n * 30_000;
    return {
      ...createApiExchangeRow(orgId, created_at),
      ...base,
      id: `exc_${name}_${n}`,
      end_user: endUser,
      session: `conversation-${name}-${n % 5}`,
      metadata_json: JSON.stringify({
        user: endUser ?? base.owner,
        note: `note of ${name}`,
        project: 'blue',
      }),
    };
  });
  await ingestRows(t, api.database, rows);
  for (let n = 0; n < SEEDED_BODIES; n++) {
    const owner = person.owner === null ? {} : { owner: person.owner };
    await storeTestBodies(api, orgId, `exc_${name}_${n}`, {
      request: { text: `secret of ${name}` },
      ...owner,
    });
    await storeResponse(api, person, `exc_${name}_${n}`);
  }
  if (person.owner !== null) {
    await storeTestBodies(api, orgId, `exc_${name}_gone`, { request: { text: name }, owner: person.owner });
    await storeResponse(api, person, `exc_${name}_gone`);
  }
  await seedRelayRows(api, person);
  await seedBudgetRows(api, person);
}

async function storeResponse({ database }: Pick<RunningApi, 'database'>, person: SeededPerson, id: string) {
  const { orgId, keyId, name } = person;
  const content = JSON.stringify({ input: [{ text: `turn of ${name}` }], response: { id: `resp_${id}` } });
  const turn = {
    id,
    org_id: orgId,
    key_id: keyId,
    response_id: `resp_${id}`,
    previous_id: null,
    created_at: API_TEST_NOW - 1_000,
    origin: 'openai default',
    stored_by_provider: 0,
    sealed: encryptSecret(content, { orgId, rowId: id, version: 1 }, apiTestSecretsKey),
  };
  await database.transaction((writer) => writer.insertInto('stored_responses').values(turn).execute());
}

type SeededTable =
  | 'relay_decisions'
  | 'relay_reports'
  | 'relay_approvals'
  | 'relay_sessions'
  | 'sessions'
  | 'passkeys'
  | 'identities'
  | 'member_grants'
  | 'invitations'
  | 'views'
  | 'budget_spend'
  | 'alerts'
  | 'alert_deliveries';
type Columns = Readonly<Record<string, string | number | null>>;

/** Columns that are not given have their default. */
async function insertRows(
  { database }: Pick<RunningApi, 'database'>,
  rows: readonly (readonly [SeededTable, Columns])[],
): Promise<void> {
  await database.transaction(async (writer) => {
    for (const [table, columns] of rows) {
      const names = Object.keys(columns).map((name) => sql.ref(name));
      await sql`insert into ${sql.table(table)} (${sql.join(names)})
        values (${sql.join(Object.values(columns))})`.execute(writer);
    }
  });
}

async function seedRelayRows(api: Pick<RunningApi, 'database'>, person: SeededPerson): Promise<void> {
  const { name } = person;
  const base = { ...baseOf(person), session_id: `conversation-${name}-1`, agent: 'claude-code' };
  const row = { ...base, created_at: API_TEST_NOW - 5_000 };
  const decision = { ...row, event: 'shell', decision: 'allow', enforced_decision: 'allow', latency_us: 9 };
  const approval = { ...row, event: 'shell', state: 'waiting', rules_json: '[]', reason: 'asks first' };
  const seen = { first_seen_at: API_TEST_NOW - 9_000, last_seen_at: API_TEST_NOW };
  await insertRows(api, [
    ...[0, 1, 2, 3].map((n) => {
      const texts = { id: `dec_${name}_${n}`, input_summary: `rm /home/${name}/${n}` };
      return ['relay_decisions', { ...decision, ...texts, matches_json: '[]', findings_json: '[]' }] as const;
    }),
    ['relay_reports', { ...row, id: `rep_${name}`, type: 'tool', details_json: '{"lines":3}' }],
    [
      'relay_approvals',
      {
        ...approval,
        id: `apr_${name}`,
        expires_at: API_TEST_NOW + 5_000,
        decision_id: `dec_${name}_0`,
        input_hash: `hash of ${name}`,
        input_summary: `rm /home/${name}`,
      },
    ],
    ['relay_sessions', { ...base, ...seen, model_requests: 3, relay_calls: 4 }],
  ]);
}

/** A member whose account has rows of its own. */
export interface SeededMember extends SeededPerson {
  readonly userId: string;
  readonly memberId: string;
  readonly email: string;
}

/** Stores everything that belongs to the account of a member. */
export async function seedAccountRows(
  api: Pick<RunningApi, 'database'>,
  person: SeededMember,
): Promise<void> {
  const { orgId: org_id, userId: user_id, memberId, name, email } = person;
  const at = API_TEST_NOW - 60_000;
  const times = { created_at: at, updated_at: at, updated_by: memberId };
  const credential = { credential_id: `credential of ${name}`, public_key: `public key of ${name}` };
  await insertRows(api, [
    ['sessions', createSessionColumns(person, at)],
    [
      'passkeys',
      {
        ...credential,
        id: `psk_${name}`,
        user_id,
        counter: 1,
        transports_json: '["usb"]',
        name: 'Stick',
        backed_up: 0,
        created_at: at,
      },
    ],
    ['identities', { issuer: 'okta', subject: `sub-${name}`, user_id, created_at: at }],
    ['member_grants', { org_id, user_id, issuer: 'okta', role: 'member' }],
    [
      'invitations',
      {
        id: `inv_${name}`,
        org_id,
        email,
        role: 'member',
        token_sha256: `invitation hash of ${name}`,
        created_at: at,
        created_by: 'setup',
        expires_at: at,
        accepted_by: user_id,
      },
    ],
    [
      'views',
      {
        ...times,
        id: `view-${name}`,
        org_id,
        name: `View of ${name}`,
        page: 'requests',
        owner: memberId,
        shared: 0,
        filters_json: '{}',
      },
    ],
  ]);
}

/** Adds a budget for each person, half of which is spent. The owner of a key can be in upper or lower case. */
async function seedBudgetRows(api: Pick<RunningApi, 'database'>, person: SeededPerson): Promise<void> {
  const { orgId: org_id, name, endUser } = person;
  const at = API_TEST_NOW - 60_000;
  const subject = endUser ?? person.owner?.replace(/^./, (first) => first.toUpperCase());
  const bucket = `b:all:month:2026-11-01:${subject}`;
  const about = { subject_kind: 'budget', subject_id: bucket, subject_name: 'all' };
  const alert = { id: `alr_${org_id}_${name}`, org_id, at, event: 'budget', phase: 'info', ...about };
  await insertRows(api, [
    ['budget_spend', { org_id, bucket, spent_nano_usd: 5, ends_at: 0, updated_at: at }],
    ['alerts', { ...alert, idempotency_key: `${bucket}:10:0.5`, fields_json: '{"share":0.5}' }],
    [
      'alert_deliveries',
      {
        id: `dlv_${org_id}_${name}`,
        org_id,
        alert_id: alert.id,
        alert_seq: 1,
        channel_id: 'chn_ops',
        channel_name: 'ops',
        repetition: 0,
        state: 'sent',
        created_at: at,
        due_at: at,
        attempts: 1,
      },
    ],
  ]);
}

function createSessionColumns({ orgId, userId, name }: SeededMember, at: number): Columns {
  return {
    id: `ses_${name}`,
    token_sha256: `token hash of ${name}`,
    previous_until: 0,
    user_id: userId,
    org_id: orgId,
    role: 'member',
    method: 'password',
    created_at: at,
    last_seen_at: at,
    expires_at: at,
    stepped_up_until: 0,
    ip_address: '192.0.2.7',
    user_agent: `browser of ${name}`,
  };
}
