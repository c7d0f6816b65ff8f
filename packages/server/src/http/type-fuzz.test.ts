// Every operation of the API with a value of every type at every place of its body, path and query. No answer is a 500,
// and no request takes the main thread for long.
// Tier: ci. Every operation with every type at every place.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { MAIN_THREAD_LIMIT_MS, measureCpuMs } from '../../test/fuzz/main-thread.ts';
import { type FuzzOperation, listFuzzOperations } from '../../test/fuzz/operations.ts';
import { generateWrongTypes, nestedListJson } from '../../test/fuzz/wrong-types.ts';
import { startTestSignIn, type TestSignIn } from './sign-in/test/test-sign-in.ts';

const FULL = process.env['FLOE_TEST_FULL'] !== undefined;
const SEED = FULL ? Date.now() % 1_000_000 : 20_26_11;
/** Operations that are not asked, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'keys.report_leak': 'revokes the key that asks',
  'events.watch': 'its answer does not end',
};
const WRONG_TEXTS = ['', 'constructor', '-1', '9'.repeat(400), '[]', '{}', '\u0000', '%', '1e400', 'null'];
/** Deeper than recursive code can follow. */
const DEEP = nestedListJson(5_000);

let harness: TestSignIn;
let key: string;
let operations: readonly FuzzOperation[];
let document: JsonObject;
before(async () => {
  harness = await startTestSignIn();
  ({ key } = await harness.api.addKey('acme'));
  const { body } = await harness.api.call('GET', '/api/openapi.json');
  const parsed: unknown = JSON.parse(JSON.stringify(body));
  assert.ok(isJsonObject(parsed));
  document = parsed;
  operations = listFuzzOperations(document).filter(({ id }) => !Object.hasOwn(LEFT_OUT, id));
});
after(() => harness.close());

class Findings {
  asked = 0;
  readonly #wrong = new Map<string, string>();
  readonly #statuses = new Map<number, number>();

  async ask({ id, method }: FuzzOperation, place: string, path: string, body?: Json): Promise<void> {
    const raw = body === undefined ? {} : { raw: JSON.stringify(body) };
    let status = 0;
    const ms = await measureCpuMs(async () => {
      const answer = await harness.api.call(method, path, {
        key,
        headers: { 'sec-fetch-site': 'same-origin' },
        ...raw,
      });
      ({ status } = answer);
      if (status === 500) this.#note(id, place, `500 for ${path} ${raw.raw?.slice(0, 300)}`);
    });
    if (ms > MAIN_THREAD_LIMIT_MS) this.#note(id, place, `${ms} ms for ${path} ${raw.raw?.slice(0, 300)}`);
    this.asked += 1;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  #note(id: string, place: string, what: string): void {
    this.#wrong.set(`${id} at ${place}`, what);
  }

  judge(): string {
    assert.deepEqual(
      Object.fromEntries([...this.#wrong].slice(0, 8)),
      {},
      `${this.#wrong.size} places, seed ${SEED}`,
    );
    return `${this.asked} requests; ${JSON.stringify(Object.fromEntries(this.#statuses))}`;
  }
}

const filled = (path: string, value = 'none') => path.replaceAll(/\{\w+\}/g, encodeURIComponent(value));

for (const siblings of ['required', 'all'] as const)
  test(`a value of any type anywhere in a body never causes a 500 (${siblings} members beside it)`, async (t) => {
    const findings = new Findings();
    for (const operation of operations) {
      if (operation.body === undefined) continue;
      const more = siblings === 'required' ? [DEEP] : [];
      const options = { seed: SEED, siblings, more, ...(FULL ? {} : { atOnce: siblings === 'all' ? 1 : 2 }) };
      for (const { path, value } of generateWrongTypes(operation.body, document, options))
        await findings.ask(operation, path, filled(operation.path), value);
    }
    t.diagnostic(findings.judge());
  });

test('any text in a path or a query never causes a 500', async (t) => {
  const findings = new Findings();
  for (const operation of operations)
    for (const text of WRONG_TEXTS) {
      if (operation.params.length > 0) await findings.ask(operation, 'path', filled(operation.path, text));
      for (const { name } of operation.query) {
        const pair = `${name}=${encodeURIComponent(text)}`;
        await findings.ask(operation, name, `${filled(operation.path)}?${pair}`);
        if (text === '-1') await findings.ask(operation, name, `${filled(operation.path)}?${pair}&${pair}`);
      }
    }
  t.diagnostic(findings.judge());
});
