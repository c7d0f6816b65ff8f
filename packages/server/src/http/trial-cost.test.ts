// Conditions and patterns as expensive as can be written, wherever the API takes one: no request takes the main thread for
// long, whoever evaluates them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { MAIN_THREAD_LIMIT_MS, measureCpuMs } from '../../test/fuzz/main-thread.ts';
import { listFuzzOperations } from '../../test/fuzz/operations.ts';
import { resolvePointer } from '../../test/fuzz/schema-values.ts';
import { type RunningApi, runApi } from './test/running-api.ts';

let api: RunningApi;
let key: string;
before(async () => {
  api = await runApi();
  ({ key } = await api.addKey('acme'));
  // Loading the libraries is not the work of a request.
  await ask('POST', '/api/management/policies', policy('true'));
  await ask('POST', '/api/management/relay/simulate', { event: PROMPT, rules: [rule({ when: 'true' })] });
});
after(() => api.close());

const nested = (depth: number, inner: string): string =>
  depth === 0 ? inner : `[1,2,3,4,5,6,7,8,9].all(v${depth}, ${nested(depth - 1, inner)})`;
const CONDITIONS = [
  nested(7, 'true'),
  nested(3, `"${'a'.repeat(500)}".contains("${'a'.repeat(250)}b")`),
  `[${Array.from({ length: 900 }, (_, n) => n).join()}].map(a, a).exists(b, b < 0)`,
  nested(3, `"${'ab'.repeat(500)}".matches("(?:[^c]{30}){30}")`),
  `"a".matches("${'(?:[^a]{30}){30}'.repeat(40)}")`,
  Array.from({ length: 480 }, () => '(true)').join('&&'),
  `${'('.repeat(400)}true${')'.repeat(400)}`,
];
const PATTERNS = ['(\\pL{30}){30}'.repeat(50), '(?:[^b]{30}){30}x', '((((a{9}){9}){9}){9}){9}'];

const PROMPT = { event: 'prompt', agent: { name: 'a' }, prompt: { text: 'a b '.repeat(5_000) } };
const policy = (when: string) => ({ name: 'p', on: 'request', when, action: 'flag' });
const rule = (match: object) => ({ name: 'r', on: 'prompt', decision: 'ask', ...match });
const SAMPLE = { request: { model: 'm', messages: [{ role: 'user', content: 'hello' }] } };

/** A valid request of each operation that takes conditions, with a place for one. */
const ASKED: Readonly<Record<string, (when: string) => object>> = {
  'policies.create': policy,
  'policies.replace': (when) => ({ ...policy(when), name: 'none' }),
  'policies.update': (when) => ({ when }),
  'policies.dry_run': (when) => ({ policies: [policy(when)], samples: [SAMPLE] }),
  'policies.start_dry_run': (when) => ({ policies: [policy(when)], from: '2026-11-20' }),
  'relay.simulate': (when) => ({ event: PROMPT, rules: [rule({ when })] }),
  'relay.replay': (when) => ({ days: 1, rules: [rule({ when })] }),
  'relay_rules.create': (when) => rule({ when }),
  'relay_rules.replace': (when) => rule({ when }),
  'relay_rules.update': (when) => ({ when }),
};
/** Operations whose bodies are rules or documents that no schema describes. */
const OPEN: Readonly<Record<string, (rule: object) => object>> = {
  'relay_rules.create': (one) => one,
  'config.diff': (one) => ({ config: { orgs: [{ id: 'acme', relay: { rules: [one] } }] } }),
  'config.apply': (one) => ({ config: { orgs: [{ id: 'acme', relay: { rules: [one] } }] } }),
};

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'none');

async function ask(method: string, path: string, body: object): Promise<number> {
  const { status } = await api.call(method, path, { key, body });
  return status;
}

async function documented() {
  const { body } = await api.call('GET', '/api/openapi.json');
  const document: unknown = JSON.parse(JSON.stringify(body));
  assert.ok(isJsonObject(document));
  return { document, operations: listFuzzOperations(document) };
}

/** Whether a schema has a member `when` somewhere. */
function takesConditions(schema: Json | undefined, root: JsonObject, depth = 0): boolean {
  if (Array.isArray(schema)) return schema.some((one) => takesConditions(one, root, depth));
  if (!isJsonObject(schema) || depth > 12) return false;
  const { $ref: reference, properties } = schema;
  if (typeof reference === 'string') return takesConditions(resolvePointer(root, reference), root, depth + 1);
  if (isJsonObject(properties) && properties['when'] !== undefined) return true;
  return Object.values(schema).some((one) => takesConditions(one ?? null, root, depth + 1));
}

test('every operation that accepts conditions is tested here', async () => {
  const { document, operations } = await documented();
  const taking = operations.filter(({ body }) => takesConditions(body, document)).map(({ id }) => id);
  assert.deepEqual(taking.toSorted(), Object.keys(ASKED).toSorted());
});

test('no condition or pattern blocks the main thread, in any request', async () => {
  const { operations } = await documented();
  const slow: string[] = [];
  const rules = [
    ...CONDITIONS.map((when) => rule({ when })),
    ...PATTERNS.map((text) => rule({ match: { text } })),
  ];
  const asked = [
    ...Object.entries(ASKED).map(([id, of]) => ({ id, bodies: CONDITIONS.map(of) })),
    ...Object.entries(OPEN).map(([id, of]) => ({ id, bodies: rules.map(of) })),
  ];
  for (const { id, bodies } of asked) {
    const operation = operations.find((one) => one.id === id);
    assert.ok(operation, id);
    for (const [n, body] of bodies.entries()) {
      let status = 0;
      const ms = await measureCpuMs(async () => {
        status = await ask(operation.method, filled(operation.path), body);
      });
      assert.notEqual(status, 500, `${id} ${n}`);
      if (ms > MAIN_THREAD_LIMIT_MS) slow.push(`${id} ${n}: ${Math.round(ms)} ms`);
    }
  }
  assert.deepEqual(slow, []);
});
