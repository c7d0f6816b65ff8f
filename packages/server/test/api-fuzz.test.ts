// Every operation of the OpenAPI document with values it allows and values it does not. Whatever is sent: an answer
// comes, it is what the document says, and it is never a 500.
// Tier: ci. A thousand random requests to every operation.
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { after, before, test } from 'node:test';
import { FAULTS } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { KEY_SCOPES } from '@floe/contract/scopes';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { type FuzzOperation, listFuzzOperations } from './fuzz/operations.ts';
import { type FuzzRequest, fuzzRequests } from './fuzz/requests.ts';
import { CLI_PROGRAM, runProgramToEnd } from './run-program.ts';
import { GATEWAY_KEYS } from './running-gateway.ts';

const FULL = process.env['FLOE_TEST_FULL'] !== undefined;
/** Requests for each operation. */
const RUNS = FULL ? 150 : 6;
const SEED = FULL ? Date.now() % 1_000_000 : 20_26_11;
/** For one answer; a machine under load is slow, a request that hangs is slower. */
const HANGS_MS = 60_000;

const OWN_KEY = 'asks-everything';
/** Operations that are not asked here, each with where they are tested; every other one of the document is. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'keys.report_leak': 'revokes the key it is asked with, whatever else is asked; key-rotation-api.test.ts',
  'events.watch': 'its answer goes on until its reader leaves; live-events.test.ts',
};
/** Beats are taken by rules of their own: unknown fields are ignored, any body is read; heartbeats.test.ts. */
const TAKES_BEATS = /^beats\./;
/** Asked with a key alone: whoever is signed in would be so no longer, or as somebody else. */
const ENDS_ITS_SESSION = /^session\.|^me\.(end_|password)/;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let floe: FloeProcess;
let document: JsonObject;
let operations: readonly FuzzOperation[];
before(async () => {
  // A second org: addresses made up here are not to be called.
  const keys = [{ name: OWN_KEY, key: GATEWAY_KEYS.full, scopes: [...KEY_SCOPES] }];
  const providers = [{ id: 'sandbox', kind: 'sandbox' }];
  const yaml = JSON.stringify({ orgs: [{ id: 'acme', keys, providers }, { id: 'other' }] });
  floe = await startFloeProcess({ yaml });
  const body: unknown = JSON.parse((await send('GET', '/api/openapi.json', {}, undefined)).text);
  assert.ok(isJsonObject(body));
  document = body;
  const documented = listFuzzOperations(document);
  const unknown = Object.keys(LEFT_OUT).filter((name) => !documented.some(({ id }) => id === name));
  assert.deepEqual(unknown, [], 'what is left out is there');
  operations = documented.filter(({ id }) => !Object.hasOwn(LEFT_OUT, id) && !TAKES_BEATS.test(id));
  cookie = await signIn();
  await sow();
});
after(async () => {
  agent.destroy();
  await floe.stop();
});

/** Of an owner who came by a one-time link: whatever members may do and keys may not is asked with it. */
let cookie = '';

async function signIn(): Promise<string> {
  const env = { FLOE_DATA_DIR: floe.dataDir, FLOE_PORT: new URL(floe.url).port };
  const { stdout, stderr } = await runProgramToEnd(CLI_PROGRAM, ['owner-link', 'acme'], env, floe.dataDir);
  const [, token] = /#token=([\w-]{43})/.exec(stdout) ?? [];
  const body = { token, email: 'mara@acme.example', name: 'Mara', password: 'quiet harbour lantern' };
  const made = await send('POST', '/api/session/setup', {}, JSON.stringify(body));
  assert.equal(made.status, 200, made.text + stderr);
  return cookieOf(made) ?? '';
}

const cookieOf = ({ headers }: Answer) => headers['set-cookie']?.[0]?.split(';', 1)[0];

/** Something of each kind to be found, changed and removed. */
const SEEDS: readonly (readonly [path: string, body: JsonObject])[] = [
  ['/api/management/keys', { name: 'seed', scopes: ['read'] }],
  ['/api/management/limits', { scope: 'org', rpm: 1_000_000 }],
  ['/api/management/budgets', { name: 'seed', scope: 'org', period: 'day', limit_usd: 1 }],
  ['/api/monitoring/monitors', { id: 'seed', name: 'Seed', expected_interval_minutes: 5 }],
  ['/api/monitoring/channels', { name: 'seed', kind: 'webhook', url: 'http://127.0.0.1:9/hook' }],
  ['/api/monitoring/boards', { slug: 'seed', name: 'Seed', public: true }],
];

async function sow(): Promise<void> {
  for (const [path, body] of SEEDS) {
    const answer = await send('POST', path, {}, JSON.stringify(body));
    assert.equal(answer.status, 201, `${path}: ${answer.text}`);
    const operation = operations.find((one) => one.path === path && one.method === 'POST');
    if (operation) remember(operation, JSON.parse(answer.text));
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Ids that answers told, by the collection they stand in. */
const seen = new Map<string, string[]>();
const collectionOf = (path: string) => path.split('/{', 1)[0] ?? path;

function pathFor({ path }: FuzzOperation, { params, query }: FuzzRequest, turn: number): string {
  const known = seen.get(collectionOf(path)) ?? [];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? known[turn % Math.max(1, known.length)] ?? 'none'),
  );
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(floe.url);
    const all = {
      ...(headers['cookie'] === undefined && { authorization: `Bearer ${GATEWAY_KEYS.full}` }),
      // As from a page of the console, or nothing of signing in would be looked at.
      'sec-fetch-site': 'same-origin',
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...headers,
    };
    const outgoing = request({ agent, hostname, port, method, path, headers: all }, (incoming) => {
      const parts: Buffer[] = [];
      const done = () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(parts).toString(),
        });
      // A stream of events has no end; its head says enough.
      if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
        done();
        return void incoming.destroy();
      }
      incoming.on('data', (part: Buffer) => parts.push(part)).on('end', done);
    });
    outgoing.setTimeout(HANGS_MS, () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Judges by the document alone. */
function judge(operation: FuzzOperation, asked: FuzzRequest, { status, headers, text }: Answer): void {
  const documented = operation.responses[String(status)] ?? operation.responses['default'];
  assert.ok(
    status < 300 ? operation.responses[String(status)] : documented,
    `status ${status} is not documented`,
  );
  assert.match(String(headers['x-request-id']), /^exc_/);
  if (status === 204) return assert.equal(text, '');
  const type = String(headers['content-type']).split(';', 1)[0] ?? '';
  const content =
    isJsonObject(documented) && isJsonObject(documented['content']) ? documented['content'] : {};
  const told = Object.keys(content).map((one) => one.split(';', 1)[0]);
  assert.ok(told.includes(type), `${status} with ${type} is not documented`);
  if (type !== 'application/json') return;
  const body: Json = JSON.parse(text);
  const media = `openapi#/paths/${pointer(operation.path)}/${operation.method.toLowerCase()}/responses/${
    status < 300 ? status : 'default'
  }/content/application~1json/schema`;
  const fits = validator(media);
  assert.ok(fits(body), `${JSON.stringify(fits.errors)} in ${text.slice(0, 500)}`);
  if (status >= 400) judgeFault(asked, status, body);
  else remember(operation, body);
}

function judgeFault({ refused, kind }: FuzzRequest, status: number, body: Json): void {
  const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {};
  const known = Object.entries(FAULTS).find(([code]) => code === error['code'])?.[1];
  assert.equal(known?.status, status, `code ${error['code']} with status ${status}`);
  assert.notEqual(status, 500);
  // A rule about several fields, or a body that is wrong as a whole, has no field to name.
  if (error['code'] === 'invalid_request' && NAMES_A_FIELD.has(kind))
    assert.equal(typeof error['param'], 'string', JSON.stringify(error));
  if (refused && !BEFORE_WHAT.has(String(error['code']))) assert.equal(status, 400, JSON.stringify(error));
}

/** An issuer adds to its answer what it likes (OpenID Connect Core 1.0, section 3.1.2.5). */
const TAKES_ANY_QUERY = '/api/session/oidc/{name}/callback';

/** Who asks, and how often, is judged before what they ask. */
const BEFORE_WHAT: ReadonlySet<string> = new Set([
  'insufficient_role',
  'key_revoked',
  'session_expired',
  'step_up_required',
  'too_many_attempts',
]);

const NAMES_A_FIELD: ReadonlySet<FuzzRequest['kind']> = new Set([
  'unknown-member',
  'unknown-query',
  'hostile-query',
]);

function remember({ path }: FuzzOperation, body: Json): void {
  const found = isJsonObject(body) && Array.isArray(body['data']) ? body['data'] : [body];
  for (const one of found) {
    const id = isJsonObject(one) ? (one['id'] ?? one['name'] ?? one['slug']) : undefined;
    // The key that asks is not to be changed or revoked.
    if (typeof id !== 'string' || (isJsonObject(one) && one['name'] === OWN_KEY)) continue;
    const ids = seen.get(collectionOf(path)) ?? [];
    seen.set(collectionOf(path), [id, ...ids.filter((other) => other !== id)].slice(0, 5));
  }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false });
function validator(reference: string) {
  if (!ajv.getSchema('openapi')) ajv.addSchema({ ...document, $id: 'openapi' }, 'openapi', undefined, false);
  return ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
}

const pointer = (path: string) => encodeURI(path.replaceAll('~', '~0').replaceAll('/', '~1'));

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  assert.ok(valid, JSON.stringify(errors)?.slice(0, 2_000));
});

test('for any request to the API, the response is a documented one', async (t) => {
  let asked = 0;
  const statuses = new Map<number, number>();
  const wrong = new Map<string, string>();
  // What is made first is found by what comes after; what removes comes last.
  const order = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE'];
  const sorted = [...operations].sort(
    (one, other) => order.indexOf(one.method) - order.indexOf(other.method),
  );
  const sets = sorted.map((operation, index) => ({
    operation,
    requests: fc.sample(fuzzRequests(operation, document), { numRuns: RUNS, seed: SEED + index }),
  }));
  for (let turn = 0; turn < RUNS; turn++)
    for (const { operation, requests } of sets) {
      const one = requests[turn];
      if (!one || (one.kind === 'unknown-query' && operation.path === TAKES_ANY_QUERY)) continue;
      const path = pathFor(operation, one, turn);
      const isMember = turn % 2 === 1 && !ENDS_ITS_SESSION.test(operation.id);
      const who = isMember ? { cookie } : {};
      const answer = await send(operation.method, path, { ...one.headers, ...who }, one.body);
      if (isMember) cookie = cookieOf(answer) ?? cookie;
      asked += 1;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      try {
        judge(operation, one, answer);
      } catch (error) {
        const what = error instanceof Error ? error.message : String(error);
        wrong.set(
          `${operation.id} ${answer.status}`,
          `${one.kind}: ${operation.method} ${path.slice(0, 500)} ${one.body?.slice(0, 1_000)}\n${answer.status} ${answer.text.slice(0, 500)}\n${what.slice(0, 1_000)}`,
        );
      }
    }
  const logged = /^.*"level":"error".*$/m.exec(floe.output())?.[0] ?? '';
  assert.equal(
    wrong.size,
    0,
    `seed ${SEED}\n\n${[...wrong.values()].slice(0, 8).join('\n\n')}\n\n${logged.slice(0, 3_000)}`,
  );
  const told = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  t.diagnostic(`${asked} requests to ${operations.length} operations, seed ${SEED}; ${told.join(', ')}`);
  for (const status of [200, 201, 204, 400, 404])
    assert.ok(statuses.get(status), `none was answered ${status}`);
  assert.doesNotMatch(floe.output(), /"level":"error"/);
  // Also says that neither the key nor the session was lost on the way.
  assert.equal((await send('GET', '/api/me', {}, undefined)).status, 200);
  assert.match((await send('GET', '/api/session', { cookie }, undefined)).text, /"state":"signed_in"/);
});
