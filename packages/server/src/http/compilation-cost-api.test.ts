// Tier: ci. Compiles regular expressions up to the limit of an organization.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runApi } from './test/running-api.ts';

/** A pattern of which eleven exceed the compilation cost of one organization, and ten do not. */
const COSTLY = '(?i)[\u1000-\u9FFF]x';
const range = (count: number) => Array.from({ length: count }, (_, n) => n);

/** How a configuration document and the API contain an entry whose pattern is `text`. */
const KINDS = {
  policies: {
    path: '/api/management/policies',
    entry: (name: string, text: string) => ({
      name,
      on: 'request',
      action: 'flag',
      when: `request.model.matches('${text}')`,
    }),
    section: (entries: readonly object[]) => ({ policies: entries }),
    patch: (text: string) => ({ when: `request.model.matches('${text}')` }),
    message: /all policies of the organization need more than 3,000,000 steps to compile/,
    param: 'when',
  },
  relay_rules: {
    path: '/api/management/relay/rules',
    entry: (name: string, text: string) => ({ name, on: 'prompt', decision: 'ask', match: { text: [text] } }),
    section: (entries: readonly object[]) => ({ relay: { rules: entries } }),
    patch: (text: string) => ({ match: { text: [text] } }),
    message: /all relay rules of the organization need more than 3,000,000 steps to compile/,
    param: 'match.text',
  },
} as const;

async function start(t: TestContext, kind: keyof typeof KINDS) {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme', { scopes: ['management'] });
  const { entry, section, ...rest } = KINDS[kind];
  const call = (method: string, path: string, body: unknown) => api.call(method, path, { key, body });
  const apply = (entries: readonly object[], prune: boolean) =>
    call('POST', '/api/management/config/apply', {
      config: { orgs: [{ id: 'acme', ...section(entries) }] },
      prune,
    });
  const costly = (prefix: string, count = 6) =>
    range(count).map((n) => entry(`${prefix}${n}`, `${COSTLY}${prefix}${n}`));
  return { kind, call, apply, costly, entry, ...rest };
}

/** Runs a test with policies, and then with relay rules. */
async function forBothKinds(
  t: TestContext,
  run: (started: Awaited<ReturnType<typeof start>>) => Promise<void>,
): Promise<void> {
  for (const kind of ['policies', 'relay_rules'] as const)
    await t.test(kind, async (one) => run(await start(one, kind)));
}

test('a document that replaces all policies or relay rules is accepted if its result is within the limit', (t) =>
  forBothKinds(t, async ({ apply, costly }) => {
    assert.equal((await apply(costly('a'), true)).status, 200);
    const replaced = await apply(costly('b'), true);
    assert.equal(replaced.status, 200, replaced.text.slice(0, 500));
  }));

test('a document may move the compilation cost from one policy or relay rule to another', (t) =>
  forBothKinds(t, async ({ apply, costly, entry }) => {
    const cheap = (prefix: string) => range(6).map((n) => entry(`${prefix}${n}`, 'x'));
    assert.equal((await apply([...cheap('a'), ...costly('b')], true)).status, 200);
    const moved = await apply([...costly('a'), ...cheap('b')], true);
    assert.equal(moved.status, 200, moved.text.slice(0, 500));
  }));

test('a document that exceeds the limit together with the existing policies or relay rules is rejected', (t) =>
  forBothKinds(t, async ({ kind, apply, costly, message, param }) => {
    assert.equal((await apply(costly('a'), false)).status, 200);
    const refused = await apply(costly('b'), false);
    assert.equal(refused.status, 400, refused.text.slice(0, 500));
    assert.match(String(refused.body.error?.message), message);
    assert.equal(refused.body.error?.param, `${kind}.${param}`);
    assert.equal((await apply(costly('a', 10), false)).status, 200, 'nothing was changed before');
  }));

test('of concurrent changes, those that would exceed the limit are rejected', (t) =>
  forBothKinds(t, async ({ apply, call, costly, entry, path, patch, message, param }) => {
    assert.equal((await apply(costly('a', 8), false)).status, 200);
    const created = await Promise.all(costly('b', 4).map((one) => call('POST', path, one)));
    const refused = created.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 2, created.map(({ status }) => status).join());
    for (const { status, body } of refused) {
      assert.equal(status, 400);
      assert.match(String(body.error?.message), message);
      assert.equal(body.error?.param, param);
    }
    const small = await call('POST', path, entry('small', 'x'));
    assert.equal(small.status, 201, small.text);
    const at = `${path}/${small.body['id']}`;
    assert.equal((await call('PATCH', at, patch(`${COSTLY}z`))).status, 400);
    assert.equal((await call('PATCH', at, patch('y'))).status, 200);
  }));
