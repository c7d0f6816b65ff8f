import type { TestContext } from 'node:test';
import { encryptSecret } from '../../platform/secrets.ts';
import type { ExchangeRow } from '../../store/ports.ts';
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

async function seedRelayRows({ database }: Pick<RunningApi, 'database'>, person: SeededPerson) {
  const { name } = person;
  const base = { ...baseOf(person), session_id: `conversation-${name}-1`, agent: 'claude-code' };
  const row = { ...base, agent_version: null, created_at: API_TEST_NOW - 5_000 };
  const none = { rule: null, mode: null, client_version: null, team: null, repository: null, cwd: null };
  const texts = { reason: null, user_message: null, agent_message: null, approval_id: null };
  await database.transaction(async (writer) => {
    for (let n = 0; n < 4; n++)
      await writer
        .insertInto('relay_decisions')
        .values({
          ...row,
          ...none,
          ...texts,
          id: `dec_${name}_${n}`,
          event: 'shell',
          decision: 'allow',
          enforced_decision: 'allow',
          input_summary: `rm /home/${name}/${n}`,
          matches_json: '[]',
          findings_json: '[]',
          event_json: null,
          latency_us: 9,
        })
        .execute();
    await writer
      .insertInto('relay_reports')
      .values({ ...row, id: `rep_${name}`, type: 'tool', tool_use_id: null, details_json: '{"lines":3}' })
      .execute();
    await writer
      .insertInto('relay_approvals')
      .values({
        ...base,
        id: `apr_${name}`,
        created_at: API_TEST_NOW - 5_000,
        expires_at: API_TEST_NOW + 5_000,
        state: 'waiting',
        scope: null,
        decision_id: `dec_${name}_0`,
        event: 'shell',
        rules_json: '[]',
        input_hash: `hash of ${name}`,
        repository: null,
        input_summary: `rm /home/${name}`,
        reason: 'asks first',
        decided_at: null,
        decided_by: null,
        note: null,
        used_at: null,
      })
      .execute();
    await writer
      .insertInto('relay_sessions')
      .values({
        ...base,
        agent_version: null,
        client_version: null,
        first_seen_at: API_TEST_NOW - 9_000,
        last_seen_at: API_TEST_NOW,
        model_requests: 3,
        last_model_request_at: null,
        relay_calls: 4,
        last_relay_call_at: API_TEST_NOW,
      })
      .execute();
  });
}

/** Stores everything that belongs to the account of a member. */
export async function seedAccountRows(
  { database }: Pick<RunningApi, 'database'>,
  person: SeededPerson & {
    readonly userId: string;
    readonly memberId: string;
    readonly email: string;
  },
): Promise<void> {
  const { orgId, name, userId, memberId, email } = person;
  const at = API_TEST_NOW - 60_000;
  const org = { org_id: orgId, user_id: userId };
  const stamps = { created_at: at, updated_at: at, updated_by: memberId };
  await database.transaction(async (writer) => {
    await writer
      .insertInto('sessions')
      .values({
        ...org,
        id: `ses_${name}`,
        token_sha256: `token hash of ${name}`,
        previous_sha256: null,
        previous_until: 0,
        role: 'member',
        method: 'password',
        created_at: at,
        last_seen_at: at,
        expires_at: at + 9e9,
        stepped_up_until: 0,
        ip_address: '192.0.2.7',
        user_agent: `browser of ${name}`,
      })
      .execute();
    await writer
      .insertInto('passkeys')
      .values({
        id: `psk_${name}`,
        user_id: userId,
        credential_id: `credential of ${name}`,
        public_key: `public key of ${name}`,
        counter: 1,
        transports_json: '["usb"]',
        name: 'YubiKey',
        backed_up: 0,
        created_at: at,
        last_used_at: null,
      })
      .execute();
    await writer
      .insertInto('identities')
      .values({ issuer: 'okta', subject: `sub-${name}`, user_id: userId, created_at: at })
      .execute();
    await writer
      .insertInto('member_grants')
      .values({ ...org, issuer: 'okta', role: 'member', team: null })
      .execute();
    await writer
      .insertInto('invitations')
      .values({
        id: `inv_${name}`,
        org_id: orgId,
        email,
        role: 'member',
        team: null,
        token_sha256: `invitation hash of ${name}`,
        created_at: at,
        created_by: 'setup',
        expires_at: at + 9e9,
        accepted_at: at,
        accepted_by: userId,
        revoked_at: null,
      })
      .execute();
    const view = { name: `View of ${name}`, page: 'requests' as const, owner: memberId, shared: 0 };
    await writer
      .insertInto('views')
      .values({ ...stamps, ...view, id: `view-${name}`, org_id: orgId, filters_json: '{}' })
      .execute();
    const bucket = `b:monthly:month:2026-11-01:${email}`;
    await writer
      .insertInto('budget_spend')
      .values({ org_id: orgId, bucket, spent_nano_usd: 5, ends_at: 0, updated_at: at })
      .execute();
  });
}
