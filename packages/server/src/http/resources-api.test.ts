import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TESTED_KINDS, type TestedKind } from './test/resource-table.ts';
import {
  API_TEST_NOW,
  type ApiTestResponse,
  listResponseEntries,
  type ResponseJson,
  type RunningApi,
  runApi,
} from './test/running-api.ts';

let api: RunningApi;
let key: string;

before(async () => {
  api = await runApi();
  key = (await api.addKey('acme', { name: 'the caller' })).key;
  made(await ask('POST', '/api/management/providers', { id: 'lent', kind: 'sandbox' }));
});
after(() => api.close());

const ask = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  api.call(method, path, { key, body, headers });

function made(answer: ApiTestResponse): ApiTestResponse {
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

/** Where the answer says that the new object is. */
const placeOf = ({ headers }: ApiTestResponse) => String(headers.location);

function nameOf({ named = 'name' }: TestedKind, shown: ResponseJson): string {
  return String(named === 'rule' ? shown['rule']?.['name'] : shown[named]);
}

/** The names in all pages of a list, two rows at a time. */
async function paged(tested: TestedKind, query: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const behind: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, text, body } = await ask('GET', `${tested.path}?limit=2&${query}${behind}`);
    assert.equal(status, 200, text);
    const rows = listResponseEntries(body['data']);
    assert.ok(rows.length <= 2);
    names.push(...rows.map((row) => nameOf(tested, row)));
    cursor = body['next_cursor'] === null ? null : String(body['next_cursor']);
  }
  return names;
}

test('the table of this test has every resource kind with the six operations', () => {
  const served = api.operations.flatMap(({ name }) => /^(\w+)\.replace$/.exec(name)?.slice(1) ?? []);
  assert.deepEqual(served.toSorted(), Object.keys(TESTED_KINDS).toSorted());
});

for (const [kind, tested] of Object.entries(TESTED_KINDS)) {
  const { path, removal = 'delete' } = tested;

  test(`${kind}: a list sorts, searches and pages`, async () => {
    const names = ['listed-c', 'listed-a', 'listed-e', 'listed-b', 'listed-d'];
    for (const [index, name] of names.entries()) {
      api.setNow(API_TEST_NOW + index * 1_000);
      made(await ask('POST', path, tested.body(name)));
    }
    api.setNow(API_TEST_NOW + 10_000);
    assert.deepEqual(await paged(tested, 'search=LISTED&sort=oldest'), names);
    assert.deepEqual(await paged(tested, 'search=LISTED&sort=newest'), names.toReversed());
    assert.deepEqual(await paged(tested, 'search=LISTED&sort=name'), names.toSorted());
    assert.deepEqual(await paged(tested, 'search=sted-e'), ['listed-e']);
    assert.deepEqual(await paged(tested, 'search=nothing-has-this'), []);
    const whole = listResponseEntries((await ask('GET', `${path}?limit=500`)).body['data']);
    assert.deepEqual(
      await paged(tested, ''),
      whole.map((row) => nameOf(tested, row)),
    );
    for (const query of ['sort=size', 'limit=0', 'cursor=made-up', 'unknown=1'])
      assert.equal((await ask('GET', `${path}?${query}`)).status, 400, query);
  });

  test(`${kind}: a created resource is read, replaced with itself and removed once`, async () => {
    const creation = made(await ask('POST', path, tested.body('whole')));
    const place = placeOf(creation);
    const read = await ask('GET', place);
    assert.equal(read.status, 200, read.text);
    assert.equal(place, `${path}/${read.body['id']}`);
    const shownOnce = kind === 'keys' ? { key: creation.body['key'] } : {};
    assert.deepEqual({ ...read.body, ...shownOnce }, creation.body);
    assert.equal(read.body['source']?.['kind'], tested.isInFile === false ? undefined : 'console');

    const tag = String(read.headers.etag);
    assert.equal((await ask('GET', place, undefined, { 'if-none-match': tag })).status, 304);
    const same = await ask('PUT', place, read.body, { 'if-match': tag });
    assert.equal(same.status, 200, same.text);
    assert.deepEqual([same.body, same.headers.etag], [read.body, tag]);

    const changed = await ask('PATCH', place, tested.change, { 'if-match': tag });
    assert.equal(changed.status, 200, changed.text);
    assert.notEqual(changed.headers.etag, tag);
    assert.equal(changed.headers.etag, (await ask('GET', place)).headers.etag);
    for (const [method, body] of [
      ['PATCH', tested.change],
      ['PUT', read.body],
      ['DELETE', undefined],
    ] as const) {
      const late = await ask(method, place, body, { 'if-match': tag });
      assert.deepEqual([late.status, late.body['error']?.['code']], [412, 'precondition_failed'], method);
    }

    assert.equal((await ask('DELETE', place)).status, 204);
    const left = await ask('GET', place);
    assert.equal(left.status, removal === 'revoke' ? 200 : 404);
    assert.equal((await ask('DELETE', place)).status, removal === 'revoke' ? 204 : 404);
    if (removal === 'revoke') assert.deepEqual((await ask('GET', place)).body, left.body);
    assert.deepEqual(await recorded(kind, String(read.body['id'])), [
      `${kind}.create: null → object`,
      `${kind}.update: object → object`,
      `${kind}.${removal}: object → ${removal === 'revoke' ? 'object' : 'null'}`,
    ]);
  });

  test(`${kind}: an unknown id is a 404`, async () => {
    const place = `${path}/nobody`;
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', tested.change],
      ['DELETE', undefined],
    ] as const) {
      const { status, text } = await ask(method, place, body);
      assert.equal(status, 404, `${method}: ${text}`);
    }
  });
}

/** What the audit log has of an object, oldest first. */
async function recorded(kind: string, subject: string): Promise<string[]> {
  const { body } = await ask('GET', `/api/management/audit?subject=${subject}`);
  const side = (value: unknown) => (value === null ? 'null' : typeof value);
  return listResponseEntries(body['data'])
    .filter(({ action }) => String(action).startsWith(`${kind}.`))
    .toSorted((one, other) => Number(one['seq']) - Number(other['seq']))
    .map(({ action, before, after }) => `${action}: ${side(before)} → ${side(after)}`);
}
