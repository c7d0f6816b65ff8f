// Tier: ci. Starts the server, PostgreSQL and the command line.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { createTestDatabaseWithoutTables, runAsAdministrator } from '../src/store/test/postgres-database.ts';
import { CLI_PROGRAM, runProgramToEnd } from './run-program.ts';

const SECRETS = {
  main: 'sk-main-upstream-literal-0001',
  spare: 'sk-spare-upstream-literal-0002',
  header: 'header-literal-0003',
  master: 'sk-master-literal-0004',
};
const KEYS = {
  open: 'sk-open-AAAAAAAAAAAAAAAAAA',
  narrow: 'sk-narrow-BBBBBBBBBBBBBBBB',
  blocked: 'sk-blocked-CCCCCCCCCCCCCCC',
  expired: 'sk-expired-DDDDDDDDDDDDDDD',
  slow: 'sk-slow-EEEEEEEEEEEEEEEEEEE',
  poor: 'sk-poor-FFFFFFFFFFFFFFFFFFF',
} as const;

const sha256 = (value: string) => createHash('sha256').update(value).digest('hex');

/** 40 models: 36 of one deployment each, and a balanced one, a failing one, its fallback and an ordered one. */
function litellmConfig(good: string, bad: string): string {
  const entry = (name: string, model: string, more: object = {}, base = good) => ({
    model_name: name,
    litellm_params: { model, api_base: `${base}/v1`, api_key: SECRETS.main, ...more },
  });
  const spare = { api_key: SECRETS.spare, extra_headers: { 'x-tenant': SECRETS.header } };
  const models = Array.from({ length: 36 }, (_, n) => entry(`model-${n}`, `openai/upstream-${n}`));
  const config = {
    model_list: [
      ...models,
      entry('balanced', 'openai/left', { weight: 3 }),
      entry('balanced', 'openai/right', { ...spare, weight: 1 }),
      entry('broken', 'openai/broken', { api_key: 'os.environ/BROKEN_KEY' }, bad),
      entry('rescue', 'openai/rescue', {
        input_cost_per_token: 0.001,
        output_cost_per_token: 0.001,
      }),
      entry('ordered', 'openai/second', { ...spare, order: 2 }),
      entry('ordered', 'openai/first', { order: 1 }),
    ],
    router_settings: {
      model_group_alias: { smart: 'model-0' },
      fallbacks: [{ broken: ['rescue'] }],
      num_retries: 0,
    },
    litellm_settings: { max_budget: 1000, budget_duration: '30d' },
    general_settings: { master_key: SECRETS.master, database_url: 'os.environ/DATABASE_URL' },
  };
  return JSON.stringify(config);
}

async function createLitellmDatabase(t: TestContext): Promise<string> {
  const url = await createTestDatabaseWithoutTables(t);
  await runAsAdministrator(
    `create table "LiteLLM_BudgetTable" (budget_id text primary key, max_budget float8, rpm_limit bigint, budget_duration text);
     create table "LiteLLM_TeamTable" (team_id text primary key, team_alias text, models text[] not null default '{}', max_budget float8, blocked boolean not null default false, metadata jsonb not null default '{}');
     create table "LiteLLM_UserTable" (user_id text primary key, user_email text, max_budget float8, password text);
     create table "LiteLLM_VerificationToken" (token text primary key, key_name text, key_alias text, models text[] not null default '{}', team_id text, user_id text, budget_id text, blocked boolean, expires timestamp(3), rpm_limit bigint, max_budget float8, budget_duration text, spend float8 not null default 0, metadata jsonb not null default '{}');
     insert into "LiteLLM_BudgetTable" values ('b1', 0.5, null, '1d');
     insert into "LiteLLM_TeamTable" values ('t-1', 'Search Team', '{}', 500, false, '{"k":"metadata-literal-0005"}');
     insert into "LiteLLM_UserTable" values ('u-1', 'ada@acme.example', 50, 'password-literal-0006');
     insert into "LiteLLM_VerificationToken" (token, key_alias, models, team_id, user_id, budget_id, blocked, expires, rpm_limit, max_budget, budget_duration) values
       ('${sha256(KEYS.open)}', 'open', '{}', 't-1', 'u-1', 'b1', null, null, null, null, null),
       ('${sha256(KEYS.narrow)}', 'narrow', '{model-1,broken}', null, null, null, false, '2099-01-01', null, 10, '7d'),
       ('${sha256(KEYS.blocked)}', 'blocked', '{}', null, null, null, true, null, null, null, null),
       ('${sha256(KEYS.expired)}', null, '{}', null, null, null, null, '2020-01-01', null, null, null),
       ('${sha256(KEYS.slow)}', 'slow', '{}', null, null, null, null, null, 1, null, null),
       ('${sha256(KEYS.poor)}', 'poor', '{}', null, null, null, null, null, null, 0.0001, null)`,
    url,
  );
  return url;
}

async function floe(home: string, ...args: string[]) {
  const { code, stdout, stderr } = await runProgramToEnd(CLI_PROGRAM, args, {}, home);
  return { code, output: stdout + stderr };
}

const ask = (server: FloeProcess, key: string, model: string, more: object = {}) =>
  callHttp(`${server.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model, messages: [{ role: 'user', content: 'Hello' }], ...more },
  });

const chatAnswer = (model: unknown) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: String(model),
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
});

async function startUpstreams(t: TestContext) {
  const good = await startFakeUpstream({
    respond: ({ body }) => createJsonReply(chatAnswer(JSON.parse(String(body)).model)),
  });
  const bad = await startFakeUpstream({ script: [createJsonReply({ error: { message: 'broken' } }, 500)] });
  t.after(() => Promise.all([good.close(), bad.close()]));
  return { good, bad };
}

test('a LiteLLM installation with 40 models has the same responses for the same requests and keys', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-import-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { good, bad } = await startUpstreams(t);
  const database = await createLitellmDatabase(t);
  const [source, output, secrets] = ['config.yaml', 'floe.yaml', 'secrets.env'].map((name) =>
    join(home, name),
  );
  assert.ok(source && output && secrets);
  writeFileSync(source, litellmConfig(good.url, bad.url));
  const run = await floe(
    home,
    'import',
    'litellm',
    source,
    '--database',
    database,
    '--output',
    output,
    '--secrets-file',
    secrets,
  );
  assert.equal(run.code, 0, run.output);
  const yaml = readFileSync(output, 'utf8');
  for (const secret of [...Object.values(SECRETS), ...Object.values(KEYS), 'literal-000'])
    assert.ok(!yaml.includes(secret) && !run.output.includes(secret), secret);
  assert.match(
    run.output,
    /LiteLLM_VerificationToken\[\d\]\.blocked: changed \(became an expires_at in the past/,
  );
  assert.equal(statSync(secrets).mode & 0o777, 0o600);
  const env = Object.fromEntries(
    [...readFileSync(secrets, 'utf8').matchAll(/^(\w+)='(.*)'$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const server = await startFloeProcess({ yaml, env: { ...env, BROKEN_KEY: 'from-the-environment' } });
  t.after(() => server.stop());

  for (let n = 0; n < 36; n += 1) {
    const answer = await ask(server, KEYS.open, `model-${n}`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(JSON.parse(String(good.requests.at(-1)?.body)).model, `upstream-${n}`);
  }
  assert.equal(good.requests[0]?.headers['authorization'], `Bearer ${SECRETS.main}`);
  assert.equal((await ask(server, KEYS.open, 'smart')).status, 200);
  assert.equal((await ask(server, KEYS.narrow, 'broken')).status, 200, 'the fallback answers');
  assert.equal(JSON.parse(String(good.requests.at(-1)?.body)).model, 'rescue');
  assert.equal(bad.requests[0]?.headers['authorization'], 'Bearer from-the-environment');
  assert.equal((await ask(server, KEYS.open, 'ordered')).status, 200);
  assert.equal(JSON.parse(String(good.requests.at(-1)?.body)).model, 'first');
  const before = good.requests.length;
  for (let n = 0; n < 40; n += 1) assert.equal((await ask(server, KEYS.open, 'balanced')).status, 200);
  const left = good.requests.slice(before).filter(({ body }) => String(body).includes('"left"')).length;
  assert.ok(left > 20 && left < 40, `${left} of 40 at the weight 3 of 4`);

  const codeOf = async (key: string, model: string) => {
    const answer = await ask(server, key, model);
    return [answer.status, /"code":"(\w+)"/.exec(answer.text)?.[1]];
  };
  assert.deepEqual(await codeOf(KEYS.narrow, 'model-2'), [403, 'model_not_allowed']);
  assert.deepEqual(await codeOf(KEYS.blocked, 'model-1'), [401, 'key_expired']);
  assert.deepEqual(await codeOf(KEYS.expired, 'model-1'), [401, 'key_expired']);
  assert.deepEqual(await codeOf('sk-unknown-000000000000', 'model-1'), [401, 'invalid_api_key']);
  assert.equal((await ask(server, KEYS.slow, 'model-1')).status, 200);
  assert.deepEqual(await codeOf(KEYS.slow, 'model-1'), [429, 'rate_limit_exceeded']);
  assert.deepEqual(await codeOf(KEYS.poor, 'rescue'), [402, 'budget_exceeded']);
});

test('a second import creates the same file, and a dry run writes none', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-import-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const database = await createLitellmDatabase(t);
  const source = join(home, 'config.yaml');
  writeFileSync(source, litellmConfig('http://127.0.0.1:1', 'http://127.0.0.1:2'));
  const first = await floe(home, 'import', 'litellm', source, '--database', database);
  const second = await floe(home, 'import', 'litellm', source, '--database', database);
  assert.equal(first.code, 0, first.output);
  assert.equal(first.output, second.output);
  const dry = await floe(
    home,
    'import',
    'litellm',
    source,
    '--dry-run',
    '--json',
    '--output',
    join(home, 'no.yaml'),
  );
  const report = JSON.parse(dry.output);
  assert.equal(report.created.routes, 41);
  assert.throws(() => statSync(join(home, 'no.yaml')));
  const wrong = await floe(
    home,
    'import',
    'litellm',
    source,
    '--database',
    'postgres://a:pass-literal@127.0.0.1:1/x',
  );
  assert.equal(wrong.code, 1);
  assert.match(wrong.output, /The LiteLLM database cannot be read/);
  assert.ok(!wrong.output.includes('pass-literal'));
});
