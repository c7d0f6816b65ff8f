import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import OpenAI, { APIError } from 'openai';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';
import { RECORDED_KINDS, type RecordingGateway, startRecordingGateway } from './recording-gateway.ts';

const MESSAGES = [{ role: 'user' as const, content: 'How thick is the ice?' }];
/** Ids as vendors have them; what stands before the first slash is the provider. */
const IDS = [
  'groq/llama-3.3-70b',
  'groq/openai/gpt-oss-20b',
  'ollama/gpt-oss:20b',
  'openrouter/anthropic/claude-haiku-4.5:beta',
  'fireworks/accounts/fireworks/models/qwen3',
  'together/groq/groq/x',
  'openai/ft:gpt-5-mini:acme::AbC-1',
  'openai-compatible/models/é 😀/"quoted"\\',
];

let gateway: RecordingGateway;

before(async () => {
  gateway = await startRecordingGateway();
  const { client } = gateway.client('strip');
  // Lists are read in the background, from the start on.
  for (let asked = 0; (await client.models.list()).data.length <= 2 * RECORDED_KINDS.length; asked++)
    assert.ok(asked < 2000, 'the lists of the providers do not come');
});
after(() => gateway.close());

async function failing(client: OpenAI, model: string): Promise<APIError> {
  try {
    await client.chat.completions.create({ model, messages: MESSAGES });
  } catch (error) {
    return error instanceof APIError ? error : assert.fail(`not an APIError: ${error}`);
  }
  return assert.fail(`${model}: answered`);
}

const FREE = {
  input_usd: 0,
  output_usd: 0,
  cache_read_usd: null,
  cache_write_usd: null,
  tiers: [],
  date: null,
  source: 'free',
};

test('model ids with slashes, colons and odd characters reach the provider without its prefix', async () => {
  for (const id of IDS) {
    const [kind, ...rest] = id.split('/');
    const known = RECORDED_KINDS.find((one) => one === kind) ?? assert.fail(id);
    gateway.setReply(known, {
      interaction: loadProjectRecording('groq', 'text').interactions[0] ?? assert.fail(),
    });
    const { client, last } = gateway.client('strip');
    await client.chat.completions.create({ model: id, messages: MESSAGES });
    const sent: unknown = JSON.parse(gateway.received(known).at(-1)?.body.toString('utf8') ?? '');
    assert.equal(isJsonObject(sent) && sent.model, rest.join('/'));
    const bare = rest.join('/');
    const shown = last().headers.get('x-floe-model');
    assert.equal(shown, /^[!-~]*$/.test(bare) ? bare : encodeURIComponent(bare));
    assert.equal(last().headers.get('x-floe-provider'), known);
  }
});

test('models.list() returns what every provider lists, with ids that can be requested', async () => {
  const { client } = gateway.client('strip');
  const models = [];
  for await (const model of client.models.list()) models.push(model);
  const ids = models.map(({ id }) => id);
  assert.deepEqual(
    ids.toSorted(),
    [
      'smart',
      ...RECORDED_KINDS.flatMap((kind) => [`${kind}/vendor/alpha-1:free`, `${kind}/beta`]),
    ].toSorted(),
  );
  const alpha = models.find(({ id }) => id === 'groq/vendor/alpha-1:free');
  assert.deepEqual(alpha, {
    id: 'groq/vendor/alpha-1:free',
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'vendor',
    context_window: 8192,
    prices: FREE,
  });
});

test('an alias is listed and retrieved like a model, and can be requested', async () => {
  const { client, last } = gateway.client('strip');
  const alias = (await client.models.list()).data.find(({ id }) => id === 'smart');
  assert.deepEqual(alias, {
    id: 'smart',
    object: 'model',
    created: 0,
    owned_by: 'floe',
    context_window: null,
    prices: null,
  });
  assert.deepEqual(await client.models.retrieve('smart'), alias);
  gateway.setReply('groq', {
    interaction: loadProjectRecording('groq', 'text').interactions[0] ?? assert.fail(),
  });
  await client.chat.completions.create({ model: 'smart', messages: MESSAGES });
  assert.equal(last().headers.get('x-floe-model'), 'beta');
  const key = await callHttp(`${gateway.url}/key`, { headers: { 'x-api-key': gateway.key('strip') } });
  assert.match(key.text, /"models":\[[^\]]*"smart"/);
  const ide = await callHttp(`${gateway.url.replace(/v1$/, 'ide-adapter')}/models`, {
    headers: { 'x-api-key': gateway.key('strip') },
  });
  assert.ok(ide.text.includes('groq/beta') && !ide.text.includes('"smart"'), ide.text);
});

test('the management API lists the same aliases as the gateway', async () => {
  const { status, text } = await callHttp(`${new URL(gateway.url).origin}/api/management/models?limit=500`, {
    headers: { 'x-api-key': gateway.key('strip') },
  });
  assert.equal(status, 200, text);
  const models = objectsOrEmpty(objectOrEmpty(JSON.parse(text)).data);
  assert.deepEqual(
    models.filter(({ kind }) => kind === 'alias').map(({ id }) => id),
    ['smart'],
  );
  assert.deepEqual(models.find(({ id }) => id === 'groq/beta')?.aliases, ['smart']);
});

test('the Anthropic SDK lists and retrieves the same models in its own format', async () => {
  const { client } = gateway.client('strip');
  const openai = new Set<string>();
  for await (const { id } of client.models.list()) openai.add(id);
  const anthropic = new Anthropic({
    baseURL: client.baseURL.replace(/\/v1$/, ''),
    apiKey: client.apiKey,
    maxRetries: 0,
  });
  const page = await anthropic.models.list({ limit: 2 });
  assert.deepEqual([page.first_id, page.last_id], [page.data[0]?.id, page.data.at(-1)?.id]);
  const models = [];
  for await (const model of anthropic.models.list()) models.push(model);
  assert.deepEqual(new Set(models.map(({ id }) => id)), openai);
  for (const model of models) {
    assert.equal(model.type, 'model');
    assert.equal(model.display_name, model.id);
    assert.ok(Number.isFinite(Date.parse(model.created_at)), model.created_at);
  }
  const [first] = models;
  assert.ok(first);
  assert.deepEqual(await anthropic.models.retrieve(first.id), first);
  await assert.rejects(
    anthropic.models.retrieve('none/of-these'),
    (error) =>
      error instanceof Anthropic.NotFoundError &&
      /"type":"not_found_error"/.test(JSON.stringify(error.error)),
  );
});

test('models.retrieve() finds an id with slashes and colons, encoded by the SDK or not', async () => {
  const { client } = gateway.client('strip');
  const id = 'openrouter/vendor/alpha-1:free';
  assert.equal((await client.models.retrieve(id)).id, id);
  const plain = await callHttp(`${gateway.url}/models/${id}`, {
    headers: { 'x-api-key': gateway.key('strip') },
  });
  const model = plain.json();
  assert.equal(isJsonObject(model) && model.id, id);
  await assert.rejects(client.models.retrieve('openrouter/none/of:these'), OpenAI.NotFoundError);
});

test('a restricted key sees and uses only its own models, and is told not to retry', async () => {
  const { client, taps } = gateway.client('strip', {
    apiKey: `${gateway.key('strip')}_narrow`,
    maxRetries: 2,
  });
  const { data } = await client.models.list();
  assert.deepEqual(data.map(({ id }) => id).toSorted(), ['groq/beta', 'groq/vendor/alpha-1:free']);
  const error = await failing(client, 'openai/gpt-5-mini');
  assert.ok(error instanceof OpenAI.PermissionDeniedError);
  assert.deepEqual([error.code, error.type, error.param], ['model_not_allowed', 'permission_error', 'model']);
  assert.equal(taps.length, 2, 'one list, one refusal');
  assert.equal(taps.at(-1)?.headers.get('x-should-retry'), 'false');
});

test("GET /key returns a key's identity and permissions, and not its value", async () => {
  const key = `${gateway.key('forward')}_narrow`;
  const answer = await callHttp(`${gateway.url}/key`, { headers: { authorization: `Bearer ${key}` } });
  const shown = answer.json();
  assert.ok(isJsonObject(shown));
  assert.deepEqual(
    [shown.object, shown.name, shown.org, shown.scopes, shown.models],
    ['platform_key', 'narrow', 'forward', ['gateway'], ['groq/vendor/alpha-1:free', 'groq/beta']],
  );
  assert.ok(!answer.text.includes(key));
});

test('the official client receives the class, code and parameter of each gateway error', async () => {
  const { client, last } = gateway.client('strip');
  const wrongKey = gateway.client('strip', { apiKey: `eis_${'0'.repeat(48)}` });
  const noKey = gateway.client('strip', { apiKey: 'sk-no-key-of-ours' });
  const cases = [
    [wrongKey.client, 'groq/m', OpenAI.AuthenticationError, 'invalid_api_key', null],
    [noKey.client, 'groq/m', OpenAI.AuthenticationError, 'missing_api_key', null],
    [client, 'groq', OpenAI.NotFoundError, 'model_not_found', 'model'],
    [client, 'nobody/m', OpenAI.NotFoundError, 'model_not_found', 'model'],
    [client, '/m', OpenAI.NotFoundError, 'model_not_found', 'model'],
    [client, '', OpenAI.BadRequestError, 'invalid_request', 'model'],
  ] as const;
  for (const [asking, model, expected, code, param] of cases) {
    const error = await failing(asking, model);
    assert.equal(error.constructor, expected, model);
    assert.deepEqual([error.code, error.param], [code, param], model);
    assert.match(error.requestID ?? '', /./);
  }
  assert.equal(last().headers.get('x-floe-error-source'), 'gateway');
  const bodies = [
    ['{"model":"groq/m","messages":[', 'invalid_json'],
    ['{"model":"groq/m"}', 'missing_required_parameter'],
    ['{"model":"groq/m","model":"groq/n","messages":[]}', 'invalid_request'],
    ['{"model":"groq/m","input":"hi"}', 'unsupported_parameter'],
    ['{"model":"groq/m","messages":[],"stream":"yes"}', 'invalid_request'],
  ] as const;
  for (const [body, code] of bodies) {
    const headers = { authorization: `Bearer ${gateway.key('strip')}`, 'content-type': 'application/json' };
    const answer = await callHttp(`${gateway.url}/chat/completions`, { headers, body });
    const told = answer.json();
    assert.ok(isJsonObject(told) && isJsonObject(told.error), body);
    assert.deepEqual([answer.status, told.error.code], [400, code], body);
    assert.equal(told.request_id, answer.headers['x-request-id'], body);
  }
});
