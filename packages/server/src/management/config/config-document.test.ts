import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSteps, startStepCounting } from '../../../test/fuzz/counted-steps.ts';

await startStepCounting();
const { parseConfigDocument } = await import('./config-document.ts');

function createDocument(count: number) {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const org = {
    id: 'acme',
    timezone: null,
    keys: numbers.map((n) => ({ name: `k${n}`, key: `\${KEY_${n}}`, scopes: ['gateway'], models: null })),
    monitors: numbers.map((n) => ({ id: `m${n}`, expected_interval_minutes: 5 })),
  };
  return { given: { config: { orgs: [org] }, variables: {} }, orgId: 'acme' };
}

test('an exported document is read as if a client had submitted it', () => {
  const { given, orgId } = createDocument(3);
  const exported = parseConfigDocument({ given, orgId, origin: 'exported' });
  assert.deepEqual(exported, parseConfigDocument({ given, orgId, origin: 'submitted' }));
  assert.equal(exported.kept.size, 3);
});

test('reading an exported document costs a fraction of reading a submitted one', async () => {
  const { given, orgId } = createDocument(200);
  const read = (origin: 'exported' | 'submitted') => () => parseConfigDocument({ given, orgId, origin });
  for (const origin of ['exported', 'submitted'] as const) read(origin)();
  const exported = await countSteps(read('exported'));
  const submitted = await countSteps(read('submitted'));
  assert.ok(exported * 3 < submitted, `${exported} steps, and ${submitted} for a submitted document`);
});

test('only omitted secrets are kept: elsewhere, their variable must have a value', () => {
  const provider = { id: 'corp', kind: 'openai', base_url: 'https://llm.test/v1', api_key: '${CORP_KEY}' };
  const bot = { name: 'bot', kind: 'telegram', bot_token: '${BOT}', chat_id: '1' };
  const read = (org: object) =>
    parseConfigDocument({
      given: { config: { orgs: [{ id: 'acme', ...org }] }, variables: {} },
      orgId: 'acme',
      origin: 'submitted',
    });
  const { kept } = read({ providers: [provider], channels: [bot] });
  assert.deepEqual([...kept.values()], ['CORP_KEY', 'BOT']);
  const hook = { name: 'hook', kind: 'webhook', url: 'https://hooks.test/${BOT}/x' };
  const uses = [
    { providers: [{ ...provider, headers: { authorization: 'Bearer ${CORP_KEY}' } }] },
    { providers: [{ ...provider, body: { user: '${CORP_KEY}' } }] },
    { channels: [bot, hook] },
  ];
  for (const org of uses)
    assert.throws(
      () => read(org),
      /^Fault: ((?:floe\.yaml:[\d:]+ )?orgs\[0\]\.[\w.[\]]+: the environment variable (CORP_KEY|BOT) is not set; [^\n]+\n?){2}$/,
    );
});
