// Every operation of the API that takes a body, with a misspelled field in each object of the body.
// Tier: ci. Every operation with a misspelled field at every place.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { generateMisspelledFields } from '../../test/fuzz/misspelled-fields.ts';
import { listFuzzOperations } from '../../test/fuzz/operations.ts';
import { buildBeatOpenApiPaths } from './beat-openapi.ts';
import { startTestSignIn, type TestSignIn } from './sign-in/test/test-sign-in.ts';
import type { ApiTestResponse } from './test/running-api.ts';

let harness: TestSignIn;
/** An owner, and a key for the operations that accept only keys. */
let callers: readonly string[];
let document: JsonObject;
before(async () => {
  harness = await startTestSignIn();
  const owner = await harness.api.addMember('acme', { role: 'owner', operator: true });
  callers = [owner.key, (await harness.api.addKey('acme')).key];
  const parsed: unknown = JSON.parse((await harness.api.call('GET', '/api/openapi.json')).text);
  assert.ok(isJsonObject(parsed));
  document = parsed;
});
after(() => harness.close());

/** Their paths are not part of the management API. parse-heartbeat.ts has their rules. */
const BEAT_PATHS = buildBeatOpenApiPaths();

/** Objects that the browser creates. Their specification, WebAuthn, adds fields over time. */
const FOREIGN = ['me.add_passkey credential', 'session.passkey credential', 'session.step_up passkey'];

async function ask(method: string, path: string, body: Json): Promise<ApiTestResponse> {
  const call = { headers: { 'sec-fetch-site': 'same-origin' }, raw: JSON.stringify(body) };
  let answer: ApiTestResponse | undefined;
  for (const key of callers) {
    answer = await harness.api.call(method, path.replaceAll(/\{\w+\}/g, 'none'), { key, ...call });
    if (answer.status !== 403) break;
  }
  return answer ?? assert.fail();
}

test('an unknown field in any object of a body is rejected, and the error names it', async (t) => {
  const accepted = new Map<string, string>();
  let asked = 0;
  const exempt = new Set<string>();
  for (const { id, method, path, body } of listFuzzOperations(document)) {
    if (body === undefined || Object.hasOwn(BEAT_PATHS, path)) continue;
    for (const { place, field, value } of generateMisspelledFields(body, document)) {
      const foreign = FOREIGN.find((one) => `${id} ${place}`.startsWith(one));
      if (foreign !== undefined) {
        exempt.add(foreign);
        continue;
      }
      const answer = await ask(method, path, value);
      asked += 1;
      const message = String(answer.body.error?.message);
      if (answer.status === 400 && message.includes(`unknown key "${field}"; did you mean "`)) continue;
      accepted.set(`${id} at ${place}`, `${answer.status} ${answer.text.slice(0, 200)}`);
    }
  }
  t.diagnostic(`${asked} bodies`);
  assert.ok(asked >= 240, `${asked} bodies`);
  assert.deepEqual([...exempt].sort(), [...FOREIGN].sort());
  assert.deepEqual(Object.fromEntries(accepted), {});
});
