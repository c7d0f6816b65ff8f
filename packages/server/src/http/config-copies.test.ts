// What one installation exports makes another one the same: every kind of thing the schema of floe.yaml knows, and every
// field of it. A new one fails here until `FULL_ORG_CONFIG` says something in it.
// Tier: ci. Copies whole organizations between servers.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FloeConfig } from '@floe/contract/config';
import { OrgSchema } from '@floe/contract/config/org';
import { isJsonObject, type Json as JsonValue } from '@floe/contract/json';
import fc from 'fast-check';
import * as z from 'zod';
import { ConfigError } from '../config/config-problem.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { FULL_ORG_CONFIG, FULL_ORG_SECRETS, MACHINE_FIELDS } from './test/full-org-config.ts';
import { type ApiTestResponse, listResponseEntries, type ResponseJson, runApi } from './test/running-api.ts';

const RUNS = process.env['FLOE_TEST_FULL'] === undefined ? 2 : 60;
/** The key that asks is there before anything is applied; its value is told to nobody. */
const ASKS = 'asks';

type Org = FloeConfig['orgs'][number];

/** A document as the loader understands it: short forms spelled out, defaults filled in, secrets in their places. */
function orgOf(text: string): Org {
  const environment = readEnvironment({ ...FULL_ORG_SECRETS, KEY_ASKS: `eis_${'1'.repeat(40)}` });
  // Whether mail is sent is for the installation.
  const overrides = [
    { variable: 'smtp', path: ['smtp', 'url'], value: 'smtp://mail.example' },
    { variable: 'smtp', path: ['smtp', 'from'], value: 'floe@acme.example' },
  ];
  const [org] = loadConfig({ text, env: { ...environment, overrides } }).config.orgs;
  assert.ok(org);
  return {
    ...org,
    teams: sorted(org.teams),
    keys: sorted(org.keys.filter(({ name }) => name !== ASKS)),
    limits: sorted(org.limits),
    budgets: sorted(org.budgets),
    channels: sorted(org.channels),
    monitors: sorted(org.monitors),
    boards: sorted(org.boards),
    relay: { ...org.relay, rules: sorted(org.relay.rules) },
  };
}

/** For lists whose order says nothing. */
function sorted<Entry>(entries: readonly Entry[]): Entry[] {
  const textOf = (value: unknown): string =>
    JSON.stringify(value, (_, inner) => (isJsonObject(inner) ? Object.entries(inner).sort() : inner));
  return entries.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

const documentOf = (org: JsonValue) => JSON.stringify({ orgs: [org] });

async function start(t: TestContext) {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme', { name: ASKS });
  const call = (method: string, path: string, body?: unknown, by = key) =>
    api.call(method, `/api/${path}`, { key: by, body });
  const ask = async (action: 'diff' | 'apply', yaml: string, variables = FULL_ORG_SECRETS, prune = false) => {
    const answer = await call('POST', `management/config/${action}`, { yaml, variables, prune });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const exported = async () => (await call('GET', 'management/config/export')).text;
  return { ...api, key, ask, exported, tell: call };
}

/** A place below a value: `[]` any entry of a list, `{}` any of a map, else a member. */
type Steps = readonly string[];

function fieldsOf(
  schema: JsonValue | undefined,
  at: Steps = [],
): (readonly [Steps, JsonValue | undefined])[] {
  if (!isJsonObject(schema)) return [];
  const { anyOf = [], oneOf = [], properties = {}, items, additionalProperties } = schema;
  return [
    ...(schema['const'] === undefined ? [] : [[at, schema['const']] as const]),
    ...[anyOf, oneOf].flat().flatMap((one) => fieldsOf(one, at)),
    ...fieldsOf(items, [...at, '[]']),
    ...fieldsOf(additionalProperties, [...at, '{}']),
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => [
      [[...at, name], undefined] as const,
      ...fieldsOf(field, [...at, name]),
    ]),
  ];
}

/** Whether something stands at this place, equal to `only` where that is given. */
function says(value: JsonValue | undefined, [step, ...rest]: Steps, only: JsonValue | undefined): boolean {
  if (step === undefined) return value !== undefined && (only === undefined || value === only);
  if (step === '[]') return Array.isArray(value) && value.some((entry) => says(entry, rest, only));
  if (!isJsonObject(value)) return false;
  if (step === '{}') return Object.values(value).some((entry) => says(entry, rest, only));
  return says(value[step], rest, only);
}

const shown = (steps: Steps) => steps.join('.').replaceAll('.[]', '[]').replaceAll('.{}', '{}');
const WHOLE: JsonValue = JSON.parse(JSON.stringify(FULL_ORG_CONFIG));

test('the organization in these tests sets every field of floe.yaml', () => {
  const schema = JSON.parse(
    JSON.stringify(z.toJSONSchema(OrgSchema, { io: 'input', unrepresentable: 'any' })),
  );
  const fields = fieldsOf(schema);
  assert.ok(fields.length > 200, `${fields.length} fields`);
  const silent = fields.filter(
    ([steps, only]) =>
      !MACHINE_FIELDS.some((path) => shown(steps).startsWith(path)) && !says(WHOLE, steps, only),
  );
  assert.deepEqual(
    silent.map(([steps, only]) => `${shown(steps)}${only === undefined ? '' : `=${only}`}`),
    [],
  );
});

/** What an org is, without what is made anew in each: times, ids of rows, addresses. */
const LISTS = [
  'management/org',
  'management/teams',
  'management/keys',
  'management/providers',
  'management/routes',
  'management/policies',
  'management/limits',
  'management/budgets',
  'management/models',
  'management/settings',
  'management/cache',
  'management/relay/rules',
  'monitoring/channels',
  'monitoring/monitors',
  'monitoring/boards',
];
const OWN = new Set(['id', 'created_at', 'updated_at', 'updated_by', 'created_by', 'beat_url', 'url']);

function meant(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meant);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (OWN.has(name) ? [] : [[name, meant(inner)]])),
  );
}

/** The lists whose order counts. */
const ORDERED = /providers|routes|policies/;

function shownAt(path: string, { status, text, body }: ApiTestResponse): unknown {
  assert.equal(status, 200, text);
  const { data } = body;
  if (!Array.isArray(data)) return [path, meant(body)];
  const shown = data.filter((one) => one['name'] !== ASKS).map(meant);
  return [path, ORDERED.test(path) ? shown : sorted(shown)];
}

type Started = Awaited<ReturnType<typeof start>>;

async function mustBeTheSame(one: Started, other: Started): Promise<void> {
  for (const path of LISTS)
    assert.deepEqual(
      shownAt(path, await other.tell('GET', path)),
      shownAt(path, await one.tell('GET', path)),
    );
}

/** What each of them does with the same requests of models and the same calls of agents. */
async function mustDoTheSame(one: Started, other: Started): Promise<void> {
  const ci = FULL_ORG_SECRETS['KEY_CI'] ?? '';
  const agent = { name: 'cursor', version: '1' };
  const events: readonly object[] = [
    { event: 'shell', shell: { command: 'git push --force -q origin' } },
    { event: 'tool', tool: { server_url: 'https://mcp.example/x', name: 'delete_all', arguments: {} } },
    { event: 'file_read', file: { path: '~/.ssh/id_ed25519' } },
    { event: 'prompt', prompt: { text: 'pay to DE89370400440532013000' } },
    { event: 'prompt', prompt: { text: 'hello' } },
  ];
  const done = async ({ tell, call }: Started) => {
    const routed = [];
    for (const model of ['smart', 'main/small', 'main/large', 'azure/gpt-5', 'spare/echo', 'nothing']) {
      const request = { model, max_tokens: 9, messages: [] };
      const { body } = await tell('POST', 'management/routes/simulate', { request });
      const targets = listResponseEntries(body['targets']).map(
        (target: ResponseJson) => `${target['provider']}/${target['model']}`,
      );
      routed.push([model, body['outcome'], body['code'], body['message'], targets.sort()]);
    }
    const decided = [];
    for (const event of events) {
      const body = { ...event, session_id: 's', agent };
      const answer = await call('POST', '/relay/v1/decisions', { key: ci, body });
      const { decision, rule, user_message, mode } = answer.body;
      decided.push([answer.status, decision, rule, user_message, mode]);
    }
    return { routed, decided };
  };
  assert.deepEqual(await done(other), await done(one));
}

test('an organization with all fields is copied completely by a caller who knows its secrets', async (t) => {
  const [one, other] = [await start(t), await start(t)];
  const applied = await one.ask('apply', documentOf(WHOLE));
  assert.deepEqual(applied['ignored'], []);
  const text = await one.exported();
  assert.doesNotMatch(text, /never-shown|eis_ci|eis_night|whsec_/);
  assert.deepEqual(orgOf(text), orgOf(documentOf(WHOLE)));
  assert.deepEqual((await other.ask('apply', text))['ignored'], []);
  await mustBeTheSame(one, other);
  await mustDoTheSame(one, other);
  assert.equal(
    (await other.tell('GET', 'me', undefined, FULL_ORG_SECRETS['KEY_CI'])).body['key']?.['name'],
    'ci',
  );
  // Its own export changes nothing, even by somebody who does not know the secrets.
  for (const api of [one, other])
    assert.deepEqual((await api.ask('diff', text, {}, true))['changes'], [], 'again');
});

test('without the key values, an organization is copied except for its keys, which are listed', async (t) => {
  const [one, other] = [await start(t), await start(t)];
  await one.ask('apply', documentOf(WHOLE));
  const { KEY_CI: _, KEY_NIGHT: __, ...others } = FULL_ORG_SECRETS;
  const applied = await other.ask('apply', await one.exported(), others);
  assert.deepEqual(
    listResponseEntries(applied['ignored']).map((line) => String(line).split(':', 1)[0]),
    ['keys/ci', 'keys/night'],
  );
});

test('the copy of an organization leaves out what the organization leaves out', async (t) => {
  for (const seed of fc.sample(fc.nat(1_000_000), RUNS)) {
    const thinned = without(WHOLE, seed);
    const [one, other] = [await start(t), await start(t)];
    await one.ask('apply', documentOf(thinned));
    const text = await one.exported();
    await other.ask('apply', text);
    assert.deepEqual(orgOf(await other.exported()), orgOf(text), `seed ${seed}`);
    await mustBeTheSame(one, other);
  }
});

test('text that looks like a variable is copied as text, and is not a secret', async (t) => {
  const [one, other] = [await start(t), await start(t)];
  const message = `Set \${HOME}, $\${HOME}, \${file:/etc/passwd} or \${PROVIDER_MAIN_DEFAULT_KEY}.`;
  const policy = { name: 'hint', on: 'request', when: 'true', action: 'deny', message };
  const made = await one.tell('POST', 'management/policies', policy);
  assert.equal(made.status, 201, made.text);
  const main = { id: 'main', kind: 'openai', api_key: 'a-key-of-main', body: { user: `\${HOME}` } };
  assert.equal((await one.tell('POST', 'management/providers', main)).status, 201);
  const text = await one.exported();
  const variables = { HOME: '/root', PROVIDER_MAIN_DEFAULT_KEY: 'another-key-of-main' };
  await other.ask('apply', text, variables);
  const copied = async (path: string) => (await other.tell('GET', `management/${path}`)).body;
  assert.equal((await copied('policies/hint'))['message'], message);
  assert.deepEqual((await copied('providers/main'))['body'], { user: `\${HOME}` });
  const entry = await one.tell('GET', 'management/config/entries/policies/hint');
  assert.match(entry.text, /\$\$\{HOME\}, \$\$\$\{HOME\}/);
  assert.deepEqual(listResponseEntries((await one.ask('diff', text, {})).changes), []);
});

type Place = readonly (string | number)[];

/** A valid document with some of what the whole one says. */
function without(whole: JsonValue, seed: number): JsonValue {
  let left = whole;
  const draws = fc.sample(fc.array(fc.nat(), { minLength: 6, maxLength: 6 }), { numRuns: 40, seed });
  for (const draw of draws) {
    const places = placesIn(left);
    const chosen = draw.map((n) => JSON.stringify(places[n % places.length]));
    const fewer = removed(left, new Set(chosen), []);
    if (isValid(fewer)) left = fewer;
  }
  return left;
}

function stepsInto(value: JsonValue | undefined): (readonly [string | number, JsonValue])[] {
  if (Array.isArray(value)) return [...value.entries()];
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, inner] as const]))
    : [];
}

function placesIn(value: JsonValue, at: Place = []): Place[] {
  return stepsInto(value).flatMap(([step, inner]) => [[...at, step], ...placesIn(inner, [...at, step])]);
}

function removed(value: JsonValue, chosen: ReadonlySet<string>, at: Place): JsonValue {
  const kept = stepsInto(value)
    .filter(([step]) => !chosen.has(JSON.stringify([...at, step])))
    .map(([step, inner]) => [step, removed(inner, chosen, [...at, step])] as const);
  if (Array.isArray(value)) return kept.map(([, inner]) => inner);
  return isJsonObject(value) ? Object.fromEntries(kept) : value;
}

function isValid(org: JsonValue): boolean {
  try {
    return orgOf(documentOf(org)).id === FULL_ORG_CONFIG.id;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
