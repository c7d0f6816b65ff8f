import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { resolvePerson } from '../management/people/resolve-person.ts';
import { erasePersonRows } from '../store/people/erase-person-rows.ts';
import { dumpTables, findRowsWith, type TableDump } from './test/dump-tables.ts';
import { type ApiTestCall, listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';
import { seedAccountRows, seedPersonRows } from './test/seed-person.ts';
import type { TestMember } from './test/test-members.ts';

const ON = '/api/management/people';
const END_USER = 'visitor-4711';
/** The log of changes keeps the ids of persons, and short-lived events announce its entries. */
const KEEP_IDS = new Set(['audit', 'live_events']);
/** Change with every call or request, whoever it concerns. */
const RUNTIME_TABLES = new Set([
  ...['audit', 'live_events', 'jobs', 'settings', 'removed_members'],
  // The log of changes to keys. A revoked key has a new entry, with the hash that its row keeps.
  'snapshot_changes',
]);

interface Seeded {
  readonly api: RunningApi;
  readonly owner: TestMember;
  readonly ana: TestMember;
  readonly ben: TestMember;
}

/** Tests of export and erasure for every database engine. Without `createUrl`, the engine is SQLite. */
export function peopleApiSuite(engine: string, createUrl?: (t: TestContext) => Promise<string>): void {
  const start = async (t: TestContext): Promise<Seeded> => {
    const api = await runApi(createUrl ? { url: await createUrl(t) } : {});
    t.after(() => api.close());
    await api.database.transaction((writer) =>
      writer.updateTable('orgs').set({ metadata_keys_json: '["user","project"]' }).execute(),
    );
    const owner = await api.addMember('acme', { role: 'owner', email: 'olga@acme.example' });
    const [ana, ben] = [await seedMember(t, api, 'ana'), await seedMember(t, api, 'ben')];
    await seedPersonRows(t, api, {
      orgId: 'acme',
      name: 'visitor',
      keyId: 'key_app',
      owner: null,
      endUser: END_USER,
    });
    for (const [name, endUser] of [
      ['stranger', `x:${END_USER}`],
      ['elsewhere', END_USER],
    ] as const) {
      const orgId = name === 'stranger' ? 'acme' : 'other';
      await seedPersonRows(t, api, { orgId, name, keyId: `key_${name}`, owner: null, endUser });
    }
    return { api, owner, ana, ben };
  };

  test(`${engine}: an erasure leaves no trace of a member, and all of everybody else`, async (t) => {
    const { api, owner, ana } = await start(t);
    await decideApproval(api, ana);
    const before = await dumpTables(api.database.read);
    const exported = await exportOf(api, owner, { email: ana.email });
    assertNoSecrets(exported);
    await interruptedErasure(api, ana.email);
    const erased = await erase(api, owner, { email: ana.email });
    const after = await dumpTables(api.database.read);
    assert.equal(
      findRowsWith(after, ['"key_ana"']).filter((row) => row.includes('"revoked_at":null')).length,
      0,
    );
    const requests = (after.get('exchanges') ?? []).join('\n');
    assert.ok(!requests.includes('laptop of ana') && requests.includes('laptop of ben'));
    assertForgotten(after, [
      ana.email,
      'Ana@Acme',
      'Ana@acme',
      'alr_acme_ana',
      ana.id,
      ana.userId,
      'conversation-ana',
      'note of ana',
    ]);
    assert.deepEqual(findRowsWith(auditSince(before, after), [ana.email]), []);
    assertUnchanged(before, after, ['ana', 'Ana@acme', ana.id, ana.userId]);
    assertSameSums(before, after);
    const interrupted = { request: 500 };
    assertSameCounts(exported, addCounts(erased, interrupted));
    // Nothing is left for another erasure, and the account is unknown.
    assert.deepEqual(await erase(api, owner, { email: ana.email }), {});
  });

  test(`${engine}: a former member is erased by id after the membership was removed`, async (t) => {
    const { api, owner, ben } = await start(t);
    const removed = await api.call('DELETE', `/api/management/members/${ben.id}`, { key: owner.key });
    assert.equal(removed.status, 204);
    const exported = await exportOf(api, owner, { member_id: ben.id });
    const erased = await erase(api, owner, { member_id: ben.id });
    assertSameCounts(exported, erased);
    assertForgotten(await dumpTables(api.database.read), [ben.email, ben.id, ben.userId]);
    const unknown = await api.call('POST', `${ON}/export`, { key: owner.key, body: { member_id: 'mem_x' } });
    assert.equal(unknown.status, 404);
  });

  test(`${engine}: an end user is erased in one organization only`, async (t) => {
    const { api, owner } = await start(t);
    const before = await dumpTables(api.database.read);
    const exported = await exportOf(api, owner, { end_user: END_USER });
    const erased = await erase(api, owner, { end_user: END_USER });
    const after = await dumpTables(api.database.read);
    const inAcme = (row: string) => row.includes('"acme"') && !row.includes(`x:${END_USER}`);
    const left = findRowsWith(after, [END_USER, 'conversation-visitor', 'note of visitor']).filter(inAcme);
    assert.deepEqual(left, []);
    const budgetRows = ['"alr_acme_visitor"', `"acme","bucket":"b:all:month:2026-11-01:${END_USER}"`];
    assertUnchanged(before, after, ['visitor_', 'key_app', `"${END_USER}"`, ...budgetRows]);
    assertSameSums(before, after);
    assertSameCounts(exported, erased);
    assert.equal(erased['request'], 620);
    assert.ok(findRowsWith(after, [`x:${END_USER}`]).length >= 620);
    const identity = createHash('sha256').update(`acme:end_user:${END_USER}`).digest('hex');
    const subject = `person_${identity.slice(0, 32)}`;
    const { body } = await api.call('GET', `/api/management/audit?subject=${subject}`, { key: owner.key });
    const entries = listResponseEntries(body.data).map(({ action }) => String(action));
    assert.deepEqual(entries.sort(), ['people.erase', 'people.erased', 'people.export']);
    assert.deepEqual(findRowsWith(auditSince(before, after), [END_USER]), []);
  });

  test(`${engine}: only owners erase, the last owner stays, and selectors are exact`, async (t) => {
    const { api, owner, ana } = await start(t);
    const status = async (path: string, { key, body }: ApiTestCall) =>
      (await api.call('POST', `${ON}/${path}`, { ...(key && { key }), body })).status;
    const admin = await api.addMember('acme', { role: 'admin' });
    const asking = await api.addMember('acme', { role: 'owner', steppedUp: false });
    const reader = await api.addKey('acme', { scopes: ['read', 'gateway'] });
    const manager = await api.addKey('acme', { scopes: ['management'] });
    const erasure = { email: ana.email, reason: 'Request 12' };
    for (const { key } of [admin, asking, reader])
      assert.equal(await status('erase', { key, body: erasure }), 403);
    assert.equal(await status('export', { key: reader.key, body: { email: ana.email } }), 403);
    assert.equal(await status('export', { key: admin.key, body: { email: ana.email } }), 200);
    const toOwner = { email: owner.email, reason: 'Request 13' };
    assert.equal(await status('erase', { key: manager.key, body: toOwner }), 403);
    for (const body of [
      {},
      { email: ana.email },
      { email: ana.email, end_user: 'x', reason: 'Request 14' },
      { email: 4, reason: 'Request 14' },
      { ...erasure, reason: ' ' },
    ])
      assert.equal(await status('erase', { key: owner.key, body }), 400);
    await api.call('DELETE', `/api/management/members/${asking.id}`, { key: owner.key });
    assert.equal(await status('erase', { key: owner.key, body: toOwner }), 409);
    assert.equal(await status('erase', { key: manager.key, body: erasure }), 200);
  });

  test(`${engine}: what another organization has of the same person remains`, async (t) => {
    const { api, owner, ana } = await start(t);
    const there = await api.addMember('other', { email: ana.email });
    const before = await dumpTables(api.database.read);
    const exported = await exportOf(api, owner, { email: ana.email });
    assert.ok(!exported.some((line) => JSON.stringify(line).includes(there.id)));
    const erased = await erase(api, owner, { email: ana.email });
    assert.equal(erased['user'], undefined);
    const after = await dumpTables(api.database.read);
    for (const table of ['users', 'passkeys', 'identities'])
      assert.deepEqual(after.get(table), before.get(table));
    assert.equal(findRowsWith(after, [there.id]).filter((row) => row.startsWith('members')).length, 1);
  });

  test(`${engine}: the account of a former member that another organization uses is not exported`, async (t) => {
    const { api, owner, ben } = await start(t);
    const kindsOf = async () => {
      const lines = await exportOf(api, owner, { email: ben.email });
      return ['user', 'identity', 'passkey', 'removed_member'].filter((kind) =>
        lines.some((line) => line['kind'] === kind),
      );
    };
    await api.call('DELETE', `/api/management/members/${ben.id}`, { key: owner.key });
    assert.deepEqual(await kindsOf(), ['user', 'identity', 'passkey', 'removed_member']);
    await api.addMember('other', { email: ben.email });
    assert.deepEqual(await kindsOf(), ['removed_member']);
  });
}

async function seedMember(t: TestContext, api: RunningApi, name: string): Promise<TestMember> {
  const email = `${name}@acme.example`;
  const role = name === 'ana' ? 'admin' : 'member';
  const member = await api.addMember('acme', { role, email });
  const owner = name === 'ana' ? 'Ana@Acme.example' : email;
  const key = await api.addKey('acme', { id: `key_${name}`, owner, name: `laptop of ${name}` });
  const person = { orgId: 'acme', name, keyId: key.id, owner: email, endUser: null };
  await seedAccountRows(api, { ...person, userId: member.userId, memberId: member.id, email });
  await seedPersonRows(t, api, person);
  // The audit log knows former members by the entries about them.
  const { key: manager } = await api.addKey('acme');
  for (const next of ['viewer', role]) {
    const body = { team: null, role: next };
    await api.call('PATCH', `/api/management/members/${member.id}`, { key: manager, body });
  }
  return member;
}

/** A member decides on the approval of another person. */
async function decideApproval(api: RunningApi, { email, key }: TestMember): Promise<void> {
  const path = '/api/management/relay/approvals';
  const body = { decision: 'deny' };
  const decided = await api.call('POST', `${path}/apr_visitor`, { key, body });
  assert.deepEqual([decided.status, decided.body.decided_by], [200, email], decided.text);
  const { body: listed } = await api.call('GET', `${path}?state=denied`, { key });
  assert.deepEqual(
    listResponseEntries(listed.data).map(({ decided_by: by }) => by),
    [email],
  );
  const again = await api.call('POST', `${path}/apr_visitor`, { key, body });
  assert.match(again.text, new RegExp(`${email} has already decided`));
}

type ExportLine = Readonly<Record<string, unknown>>;
type Counts = Readonly<Record<string, number>>;

async function exportOf(api: RunningApi, by: TestMember, body: object): Promise<ExportLine[]> {
  const { status, text } = await api.call('POST', `${ON}/export`, { key: by.key, body });
  assert.equal(status, 200, text);
  return text
    .trimEnd()
    .split('\n')
    .map((line): ExportLine => JSON.parse(line));
}

async function erase(api: RunningApi, by: TestMember, selector: object): Promise<Counts> {
  const body = { ...selector, reason: 'Request 12' };
  const { status, body: job, text } = await api.call('POST', `${ON}/erase`, { key: by.key, body });
  assert.equal(status, 200, text);
  for (;;) {
    const { body: now } = await api.call('GET', `/api/jobs/${String(job.id)}`, { key: by.key });
    if (String(now.state) === 'running') continue;
    assert.equal(now.state, 'done', JSON.stringify(now));
    const erased: Counts = JSON.parse(JSON.stringify(now.result?.erased));
    return erased;
  }
}

/** Stops after the first transaction, as if the process were killed. */
async function interruptedErasure({ database }: RunningApi, email: string): Promise<void> {
  const person = await resolvePerson(database.read, 'acme', { email });
  const abort = new AbortController();
  const onProgress = () => abort.abort(new Error('killed'));
  const counts = {};
  const erasure = { database, person, counts, signal: abort.signal, onProgress };
  await assert.rejects(erasePersonRows(erasure), /killed/);
  assert.deepEqual(counts, { request: 500, request_body: 0, stored_response: 0 });
}

function assertNoSecrets(lines: readonly ExportLine[]): void {
  const text = JSON.stringify(lines);
  for (const secret of ['hash of', 'credential of', 'public key of', 'enc.', 'sealed', 'sha256'])
    assert.ok(!text.includes(secret), `the export contains "${secret}"`);
  assert.ok(text.includes('secret of ana') && text.includes('turn of ana'), 'bodies are decrypted');
}

function assertForgotten(dump: TableDump, texts: readonly string[]): void {
  const others = new Map([...dump].filter(([table]) => !KEEP_IDS.has(table)));
  const stamps = /"(?:created|updated|removed|decided)_by":"mem_[^"]*"/g;
  const plain = new Map(
    [...others].map(([table, rows]) => [table, rows.map((row) => row.replace(stamps, ''))]),
  );
  assert.deepEqual(findRowsWith(plain, texts), []);
}

/** Entries of the audit log that were added. */
function auditSince(before: TableDump, after: TableDump): TableDump {
  const known = new Set(before.get('audit'));
  const added = (after.get('audit') ?? []).filter((row) => !known.has(row));
  return new Map([['audit', added.filter((row) => !row.includes('"keys.create"'))]]);
}

/** Rows without the person are the same, except those that also count requests without an owner. */
function assertUnchanged(before: TableDump, after: TableDump, texts: readonly string[]): void {
  const isOther = (row: string) => !texts.some((text) => row.includes(text)) && !row.includes('"value":""');
  let compared = 0;
  for (const [table, rows] of before) {
    if (RUNTIME_TABLES.has(table)) continue;
    const now = new Set(after.get(table));
    const others = rows.filter(isOther);
    compared += others.length;
    assert.deepEqual(
      others.filter((row) => !now.has(row)),
      [],
      `${table} changed`,
    );
  }
  assert.ok(compared > 2_000, `${compared} rows were compared`);
}

function assertSameSums(before: TableDump, after: TableDump): void {
  const sumsOf = (dump: TableDump) => {
    const sums: Record<string, number> = {};
    for (const table of ['exchanges', 'rollup_minutes', 'rollup_hours', 'rollup_pairs'])
      for (const row of dump.get(table) ?? []) {
        const columns: Readonly<Record<string, number | string>> = JSON.parse(row);
        for (const column of ['cost_nano_usd', 'input_tokens', 'output_tokens', 'requests']) {
          const name = `${table} ${columns['org_id']} ${columns['facet']} ${column}`;
          sums[name] = (sums[name] ?? 0) + Number(columns[column] ?? 0);
        }
      }
    return sums;
  };
  const sums = sumsOf(before);
  assert.ok(Object.keys(sums).length > 20);
  assert.deepEqual(sumsOf(after), sums);
}

function addCounts(one: Counts, other: Counts): Counts {
  const kinds = [...Object.keys(one), ...Object.keys(other)];
  return Object.fromEntries(kinds.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}

/** The export contains as many objects of each kind as were erased. The audit log is not erased. */
function assertSameCounts(lines: readonly ExportLine[], erased: Counts): void {
  const exported: Record<string, number> = {};
  for (const { kind } of lines) exported[String(kind)] = (exported[String(kind)] ?? 0) + 1;
  assert.ok((exported['audit_entry'] ?? 0) > 0 || exported['user'] === undefined);
  delete exported['audit_entry'];
  assert.deepEqual(exported, erased);
}
