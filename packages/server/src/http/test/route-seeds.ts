import assert from 'node:assert/strict';
import { createId } from '../../core/ids.ts';
import { applyBreakerOverride } from '../../guardrails/breakers/breaker-override.ts';
import { insertInvitation } from '../../store/invitations.ts';
import { insertMemberRemoval } from '../../store/member-role-grants.ts';
import { insertMember, insertUser } from '../../store/members.ts';
import { insertOperator } from '../../store/operators.ts';
import { deleteStoredRule, listStoredRulesOfOrg, upsertStoredRule } from '../../store/stored-rules.ts';
import { upsertTeam } from '../../store/teams.ts';
import { seedAnalytics } from './analytics-routes.ts';
import { seedEntries } from './entry-routes.ts';
import { seedMonitoring } from './monitoring-routes.ts';
import { seedRelay } from './relay-routes.ts';
import { API_TEST_NOW, type RunningApi } from './running-api.ts';

/** The email address of an account that is not an operator. */
export const GRANTEE_EMAIL = 'granted@seed.example';
export const WEBHOOK_CHANNEL = { kind: 'webhook', url: 'http://127.0.0.1:9/nobody' };

/**
 * Creates the resources that a route in `acme` needs, with the id of a key, and returns this id.
 * Routes about keys and members get a new key. All others share a key, because every key makes
 * later requests slower.
 *
 * @param columns the columns of a new key
 */
export async function seedRoute(
  api: RunningApi,
  route: string,
  columns: Parameters<RunningApi['addKey']>[1] = {},
): Promise<{ readonly key: string }> {
  const isOwn = /\/management\/(keys|members|removed-members|operators|invitations|teams|orgs)/.test(route);
  const { id } = isOwn ? await api.addKey('acme', columns) : await sharedKey(api);
  await seedMonitoring(api, route, id);
  if (/\/(views|jobs)\b/.test(route)) await seedAnalytics(api, id, columns.owner !== undefined);
  if (/\/management\/(limits|budgets)/.test(route)) await seedRules(api, id);
  if (/\/management\/(providers|routes|policies|models)/.test(route)) await seedEntries(api, id);
  if (route.includes('/monitoring/channels')) await seedChannel(api, id);
  if (/\/management\/(members|invitations|teams|orgs)/.test(route)) await seedPeople(api, id);
  if (/\/management\/(removed-members|operators)/.test(route)) await seedAccount(api, id);
  if (route.endsWith('/breakers/{id}/force')) await seedForcedBreakers(api);
  if (route.includes('/relay/')) await seedRelay(api, route, id);
  return { key: id };
}

const shared = new WeakMap<RunningApi, ReturnType<RunningApi['addKey']>>();

function sharedKey(api: RunningApi): ReturnType<RunningApi['addKey']> {
  const key = shared.get(api) ?? api.addKey('acme');
  shared.set(api, key);
  return key;
}

/** In both orgs, because only a stored override can be returned to automatic. */
async function seedForcedBreakers(api: RunningApi): Promise<void> {
  const name = { provider: 'main', model: 'large', credential: 'default' };
  const wanted = { state: 'open', ttlMs: 3_600_000, reason: 'maintenance', by: 'ops' } as const;
  await api.database.transaction(async (writer) => {
    for (const orgId of ['acme', 'other'])
      await applyBreakerOverride(writer, { ...name, orgId }, wanted, API_TEST_NOW);
  });
}

async function seedChannel(api: RunningApi, id: string): Promise<void> {
  await api.database.transaction((writer) => writer.deleteFrom('channels').execute());
  const { key } = await sharedKey(api);
  const { status } = await api.call('PUT', `/api/monitoring/channels/${id}`, { key, body: WEBHOOK_CHANNEL });
  assert.equal(status, 200);
}

async function seedRules(api: RunningApi, id: string): Promise<void> {
  const rules = {
    limits: { scope: 'org', rpm: 1 },
    budgets: { name: 'seed', scope: 'org', period: 'day', limit_usd: 1 },
  };
  await api.database.transaction(async (writer) => {
    for (const kind of ['limits', 'budgets'] as const) {
      for (const org of ['acme', 'other'])
        for (const row of await listStoredRulesOfOrg(writer, kind, org))
          await deleteStoredRule(writer, kind, org, row.id);
      const times = { created_at: API_TEST_NOW, updated_at: API_TEST_NOW, updated_by: 'test' };
      await upsertStoredRule(writer, kind, {
        id,
        org_id: 'acme',
        rule_json: JSON.stringify(rules[kind]),
        ...times,
      });
    }
  });
}

/**
 * An account with this id that was removed from the org, an operator of the installation, and another
 * account.
 */
async function seedAccount(api: RunningApi, id: string): Promise<void> {
  const account = {
    name: '',
    password_hash: null,
    preferences_json: null,
    created_at: API_TEST_NOW,
    updated_at: API_TEST_NOW,
  };
  await api.database.transaction(async (writer) => {
    await writer.deleteFrom('users').where('email', '=', GRANTEE_EMAIL).execute();
    await insertUser(writer, { ...account, id: createId('usr', API_TEST_NOW), email: GRANTEE_EMAIL });
    await insertUser(writer, { ...account, id, email: `${id}@seed.example` });
    await insertMemberRemoval(writer, {
      org_id: 'acme',
      user_id: id,
      removed_at: API_TEST_NOW,
      removed_by: 'test',
    });
    await insertOperator(writer, { user_id: id, granted_at: API_TEST_NOW, granted_by: 'test' });
  });
}

/** A member, an invitation and a team. Removes those of earlier requests. */
async function seedPeople(api: RunningApi, id: string): Promise<void> {
  const times = { created_at: API_TEST_NOW, updated_at: API_TEST_NOW };
  const user = createId('usr', API_TEST_NOW);
  await api.database.transaction(async (writer) => {
    await writer.deleteFrom('invitations').execute();
    await writer.deleteFrom('teams').where('id', '!=', 'platform').execute();
    for (const table of ['members', 'platform_keys'] as const)
      await writer.deleteFrom(table).where('org_id', '=', 'made').execute();
    await insertUser(writer, {
      ...times,
      id: user,
      email: `${user}@seed.example`,
      name: '',
      password_hash: null,
      preferences_json: null,
    });
    const place = { id, org_id: 'acme', role: 'viewer', team: null };
    await insertMember(writer, { ...times, ...place, user_id: user, source: 'console', updated_by: 'test' });
    await insertInvitation(writer, {
      ...place,
      email: 'ana@seed.example',
      token_sha256: id,
      created_at: API_TEST_NOW,
      created_by: 'test',
      expires_at: API_TEST_NOW + 1,
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    });
    const team = { name: 'Seed', cost_center: null, source: 'console', source_line: null };
    await upsertTeam(writer, { ...times, ...team, id, org_id: 'acme', updated_by: 'test' });
  });
}
