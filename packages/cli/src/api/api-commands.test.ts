import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { type ApiOperation, listPathParameterNames, loadApiOperations } from './api-operations.ts';
import { findCompletions } from './completion.ts';
import { formatTable } from './format-table.ts';
import { parseOperationArguments } from './operation-arguments.ts';
import { TABLE_COLUMNS_BY_COMMAND } from './table-columns-by-command.ts';

/** Whether a schema has a member; an object of any members has all. */
function hasMember(document: unknown, schema: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const { $ref, anyOf, properties, items, additionalProperties } = Object(schema);
  if ($ref) {
    const { components } = Object(document);
    return hasMember(document, components.schemas[String($ref).split('/').at(-1) ?? ''], [name, ...rest]);
  }
  if (anyOf) return anyOf.some((branch: unknown) => hasMember(document, branch, [name, ...rest]));
  const member = name === '[]' ? items : (properties?.[name] ?? additionalProperties);
  return typeof member === 'object' && hasMember(document, member, rest);
}

const PROGRAM = join(import.meta.dirname, '..', 'main.ts');
const operations = loadApiOperations();
const every = Object.entries(operations).flatMap(([subject, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ subject, verb, operation })),
);

function operationOf(subject: string, verb: string): ApiOperation {
  return operations[subject]?.[verb] ?? assert.fail(`${subject} ${verb}`);
}

async function floe(args: readonly string[], env: Readonly<Record<string, string>>, input = '') {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...MINIMAL_ENVIRONMENT, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { stdout, stderr, code };
}

suite('arguments', () => {
  test('every operation of the API requires the parameters of its path, and accepts them', () => {
    for (const { operation } of every) {
      const positions = listPathParameterNames(operation).map((_, at) => `p ${at}`);
      const asked = parseOperationArguments(operation, positions);
      assert.ok(!asked.path.includes('{'), asked.path);
      assert.equal(asked.method, operation.method);
      assert.throws(() => parseOperationArguments(operation, [...positions, 'more']), /Unexpected argument/);
      if (positions.length > 0)
        assert.throws(() => parseOperationArguments(operation, positions.slice(1)), /Missing argument/);
    }
  });

  test('options become the types that the API takes', () => {
    const asked = parseOperationArguments(operationOf('limits', 'create'), [
      '--rpm',
      '60',
      '--scope',
      'key',
      '--unset',
      'end-user',
    ]);
    assert.deepEqual(JSON.parse(asked.body ?? ''), { rpm: 60, scope: 'key', end_user: null });
    const key = parseOperationArguments(operationOf('keys', 'create'), [
      '--scopes',
      'gateway,read',
      '--scopes',
      'beat',
    ]);
    assert.deepEqual(JSON.parse(key.body ?? ''), { scopes: ['gateway', 'read', 'beat'] });
    assert.throws(
      () => parseOperationArguments(operationOf('limits', 'create'), ['--rpm', '6O']),
      /--rpm must be a number/,
    );
    assert.throws(
      () => parseOperationArguments(operationOf('limits', 'create'), ['--scope', 'ke']),
      /must be one of org, team/,
    );
    assert.throws(
      () => parseOperationArguments(operationOf('keys', 'create'), ['--nmae', 'x']),
      /Unknown option --nmae\. Did you mean --name\?/,
    );
  });

  test('a creation carries an idempotency key of its own unless one is given', () => {
    const create = operationOf('keys', 'create');
    const keys = [parseOperationArguments(create, []), parseOperationArguments(create, [])].map(
      ({ headers }) => headers['idempotency-key'],
    );
    assert.equal(new Set(keys).size, 2);
    assert.equal(parseOperationArguments(create, ['--idempotency-key', 'k']).headers['idempotency-key'], 'k');
  });

  test('filters that have no option of their own go into the query', () => {
    const { path } = parseOperationArguments(operationOf('requests', 'list'), [
      '--model',
      'a/b',
      '--filter',
      'metadata.project=x=y',
    ]);
    const { searchParams } = new URL(path, 'http://floe');
    assert.deepEqual([searchParams.get('model'), searchParams.get('metadata.project')], ['a/b', 'x=y']);
  });
});

suite('help', { concurrency: 2 }, () => {
  test('the help lists resources with their operations, the operations of a resource and the options of an operation', async () => {
    const [all, resource, verb] = await Promise.all(
      [['help'], ['monitors', '--help'], ['routes', 'create', '--help']].map((args) => floe(args, {})),
    );
    assert.match(all?.stdout ?? '', /^ {2}config +apply, check, diff, entry, export, file, get$/m);
    assert.match(all?.stdout ?? '', /^ {2}relay-rules +create, delete, get, list, replace, update$/m);
    for (const action of ['create ', 'pause <id>', 'resume <id>', 'get <id>', 'delete <id>', 'list '])
      assert.match(resource?.stdout ?? '', new RegExp(`^ {2}floe monitors ${action} .*\\w`, 'm'));
    assert.match(verb?.stdout ?? '', /^ {2}--targets <a,b\|json> +Targets of the route/m);
    assert.match(verb?.stdout ?? '', /^ {2}--enabled, --no-enabled +Set to `false` to disable the route$/m);
    assert.doesNotMatch(verb?.stdout ?? '', /--(id|source|created-at|updated-by)\b/);
  });
});

suite('completion', () => {
  test('each word may be followed by what the command line knows', () => {
    assert.ok(findCompletions(operations, [], []).includes('keys'));
    assert.deepEqual(findCompletions(operations, [], ['keys']), Object.keys(operations['keys'] ?? {}).sort());
    assert.ok(findCompletions(operations, [], ['keys', 'create']).includes('--expires-at'));
    assert.ok(findCompletions(operations, [], ['limits', 'create', '--scope']).includes('end_user'));
    assert.deepEqual(findCompletions(operations, [], ['nothing', 'like', 'this']), []);
    assert.deepEqual(findCompletions(operations, [], ['__proto__']), []);
  });

  test('bash completes with the script it is given', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'floe-cli-'));
    writeFileSync(join(bin, 'floe'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
      mode: 0o755,
    });
    const line = `eval "$(floe completion bash)"; COMP_WORDS=(floe keys re); COMP_CWORD=2; _floe; echo "\${COMPREPLY[@]}"`;
    const bash = spawn('bash', ['-c', line], {
      env: { PATH: `${bin}:${process.env['PATH']}` },
      timeout: 60_000,
    });
    assert.match(await text(bash.stdout), /\brevoke\b/);
    rmSync(bin, { recursive: true });
  });
});

test('a table shows one line per row, however strange its names are', () => {
  const shown = formatTable([
    { id: 'a', name: 'one\n\u001b[31mtwo', source: { kind: 'file', line: 3 }, more: { deep: 1 } },
    { id: 'b', name: null, source: { kind: 'console', line: null }, more: null },
  ]);
  assert.equal(shown, 'ID  NAME\na   one  [31mtwo\nb   -\n');
});

suite('against a server', { concurrency: 2 }, () => {
  const KEY = `eis_${'k'.repeat(40)}`;
  let server: FloeProcess;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    const keys = [
      { name: 'root', key: KEY, scopes: ['gateway', 'monitoring', 'management', 'relay', 'read'] },
    ];
    const providers = [{ id: 'sandbox', kind: 'sandbox' }];
    server = await startFloeProcess({ yaml: JSON.stringify({ orgs: [{ id: 'acme', keys, providers }] }) });
    env = { FLOE_API_KEY: KEY, FLOE_BASE_URL: server.url };
  });
  after(() => server.stop());

  test('a key is made, listed and revoked, and the audit log tells of it', async () => {
    const made = await floe(['keys', 'create', '--name', 'ci', '--scopes', 'gateway', '--json'], env);
    const { id, key }: { id: string; key: string } = JSON.parse(made.stdout);
    assert.match(key, /^eis_/);
    assert.match((await floe(['keys'], env)).stdout, new RegExp(`^${id} +ci .*active`, 'm'));
    assert.equal((await floe(['keys', 'revoke', id], env)).stdout, 'Done.\n');
    assert.match((await floe(['keys', 'get', id], env)).stdout, /^status +revoked$/m);
    const audit = await floe(['audit', 'list', '--json'], env);
    const entries: { action: string; subject: string }[] = JSON.parse(audit.stdout);
    const actions = entries.filter(({ subject }) => subject === id).map(({ action }) => action);
    assert.deepEqual(actions, ['keys.revoke', 'keys.create']);
  });

  test('a refusal says why, with exit code 1; a mistake at the command line is 2', async () => {
    const refused = await floe(['keys', 'get', 'key_none'], env);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /No platform key has this id/);
    const unknown = await floe(['keys', 'frobnicate'], env);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /has no operation "frobnicate"[\s\S]*floe keys revoke <id>/);
    assert.equal((await floe(['limits', 'create', '--rpm', 'many'], env)).code, 2);
  });

  test('every list has columns, which are members of its rows', async () => {
    const answer = await fetch(`${server.url}/api/openapi.json`, { headers: { 'x-api-key': KEY } });
    const document = Object(await answer.json());
    for (const { subject, verb, operation } of every) {
      const columns = TABLE_COLUMNS_BY_COMMAND[`${subject} ${verb}`];
      if (!columns) {
        assert.ok(!operation.page, `${subject} ${verb} needs columns`);
        continue;
      }
      const { responses } = document.paths[operation.path][operation.method.toLowerCase()];
      const list = responses[200].content['application/json'].schema;
      const path = `${subject} ${verb}`;
      for (const member of columns.flatMap(({ paths }) => paths))
        assert.ok(hasMember(document, list, ['data', '[]', ...member.split('.')]), `${path}: ${member}`);
    }
  });

  test('lists show the same columns whatever their rows hold', async () => {
    const lists = await Promise.all(
      ['requests', 'budgets', 'limits', 'relay-rules', 'breakers'].map((name) =>
        floe([name, 'list', '--json'], env),
      ),
    );
    assert.deepEqual(
      lists.map(({ code }) => code),
      [0, 0, 0, 0, 0],
    );
    await floe(
      ['budgets', 'create', '--name', 'b', '--scope', 'org', '--period', 'month', '--limit-usd', '50'],
      env,
    );
    const { stdout } = await floe(['budgets', 'list'], env);
    const [header = '', row = ''] = stdout.split('\n');
    assert.deepEqual(header.split(/ {2,}/).slice(1, 8), [
      'NAME',
      'APPLIES TO',
      'PERIOD',
      'MODE',
      'SPENT',
      'LIMIT',
      'REMAINING',
    ]);
    assert.deepEqual(row.split(/ {2,}/).slice(1, 8), ['b', 'org', 'month', 'hard', '$0', '$50', '$50']);
  });

  test('a dry run and an entry of the configuration are printed readably', async () => {
    const samples = JSON.stringify([
      { request: { messages: [{ role: 'user', content: 'card 4111 1111 1111 1111' }] } },
    ]);
    const rules = JSON.stringify([
      { name: 'cards', on: 'request', action: 'redact', detect: { pii: ['credit_card'] } },
    ]);
    const dry = await floe(['policies', 'dry-run', '--samples', samples, '--policies', rules], env);
    assert.deepEqual([dry.code, dry.stderr], [0, '']);
    assert.match(dry.stdout, /^ {2}outcome +redacted$/m);
    assert.match(
      dry.stdout,
      /^ {4}cards +monitor +redacted +"cards": found 1 credit_card in messages\[0\]\.content$/m,
    );
    await floe(
      ['monitors', 'create', '--id', 'nightly', '--name', 'N', '--expected-interval-minutes', '60'],
      env,
    );
    const entry = await floe(['config', 'entry', 'monitors', 'nightly'], env);
    assert.match(entry.stdout, /^monitors:\n {2}- id: nightly\n {4}name: N\n/);
  });

  test('plain text, comma lists and a field named file are taken as they are', async () => {
    const job = await floe(['policies', 'start-dry-run', '--from', '2026-11-20', '--json'], env);
    assert.equal(job.code, 0, job.stderr);
    const targets = ['--targets', 'sandbox/echo,sandbox/tools'];
    const route = await floe(['routes', 'create', '--model', 'smart', ...targets, '--json'], env);
    assert.equal(route.code, 0, route.stderr);
    assert.equal(JSON.parse(route.stdout).targets.length, 2);
    const match = ['--on', 'shell', '--match', '{"command":"rm"}'];
    const rule = await floe(
      [
        'relay-rules',
        'create',
        '--name',
        'no-rm',
        ...match,
        '--decision',
        'deny',
        '--message',
        'No.',
        '--json',
      ],
      env,
    );
    assert.equal(JSON.parse(rule.stdout).rule.message, 'No.', rule.stderr);
    const rules = await floe(['relay-rules'], env);
    assert.match(
      rules.stdout,
      /^ID +NAME +MODE +DECISION +ON +MATCHES +SOURCE\nrlr_\w+ +no-rm +observe +deny +shell +0 +console\n/,
    );
    const file = JSON.stringify({ path: '/etc/passwd' });
    const decided = await floe(['relay', 'decide', '--event', 'file_read', '--file', file, '--json'], env);
    assert.equal(JSON.parse(decided.stdout).decision, 'abstain', decided.stderr);
  });

  test('the body may come from a file, with options on top of it', async () => {
    const body = JSON.stringify({ scope: 'org', rpm: 10, name: 'from-file' });
    const made = await floe(['limits', 'create', '--body-file', '-', '--rpm', '20', '--json'], env, body);
    const { name, rpm }: { name: string; rpm: number } = JSON.parse(made.stdout);
    assert.deepEqual([name, rpm], ['from-file', 20]);
  });
});

test('a question for an unknown id finds the only resource of that name', async () => {
  const limits = [
    { id: 'lim_1', name: 'ci' },
    { id: 'lim_2', name: 'twice' },
    { id: 'lim_3', name: 'twice' },
    { id: 'lim_4', name: 'limits' },
  ];
  const server = await startFakeUpstream({
    respond: ({ path, method }) => {
      const [, id = ''] = /^\/api\/management\/limits\/([^?]+)/.exec(path) ?? [];
      if (id === '') return createJsonReply({ data: limits, next_cursor: null });
      if (limits.some((limit) => limit.id === id)) return createJsonReply({ id, method });
      return createJsonReply({ error: { message: 'No limit has this id.', code: 'not_found' } }, 404);
    },
  });
  const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: server.url };
  const answers = ['lim_2', 'ci', 'limits', 'nightly', 'twice'].map((name) =>
    floe(['limits', 'update', name, '--rpm', '5', '--json'], env),
  );
  const [byId, byName, asInPath, none, twice] = await Promise.all(answers);
  assert.deepEqual(JSON.parse(byId?.stdout ?? ''), { id: 'lim_2', method: 'PATCH' });
  assert.deepEqual(JSON.parse(byName?.stdout ?? ''), { id: 'lim_1', method: 'PATCH' });
  assert.deepEqual(JSON.parse(asInPath?.stdout ?? ''), { id: 'lim_4', method: 'PATCH' });
  assert.deepEqual([none?.code, twice?.code], [1, 1]);
  assert.match(
    none?.stderr ?? '',
    /returned an error: No limit has this id\. Run "floe limits list" to see the ids\.$/m,
  );
  assert.match(
    twice?.stderr ?? '',
    /^floe: Several resources have the name "twice"\. Use one of their ids: lim_2, lim_3$/m,
  );
  await server.close();
});

test('a test of a channel or credential that fails has exit code 1', async (t) => {
  const server = await startFakeUpstream({
    respond: ({ path }) => createJsonReply({ ok: !path.includes('broken'), status: 500, error: null }),
  });
  t.after(() => server.close());
  const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: server.url };
  const codes = ['good', 'broken'].map(async (id) => {
    const { code, stdout } = await floe(['channels', 'test', id], env);
    assert.match(stdout, /^ok +(?:true|false|yes|no)$/m);
    return code;
  });
  codes.push(floe(['credentials', 'test', 'broken', 'main'], env).then(({ code }) => code));
  assert.deepEqual(await Promise.all(codes), [0, 1, 1]);
});

test('an audit log that is not intact, and changes that fail, have exit code 1', async (t) => {
  const respond = ({ path }: { path: string }) =>
    createJsonReply(
      path.includes('/audit/')
        ? { valid: path.includes('intact'), broken_at: 7 }
        : { changed: ['a'], unchanged: [], failed: [{ id: 'b', code: 'not_found', message: 'No.' }] },
    );
  const server = await startFakeUpstream({ respond });
  t.after(() => server.close());
  const intact = await startFakeUpstream({ respond: () => createJsonReply({ valid: true, failed: [] }) });
  t.after(() => intact.close());
  const commands = [
    ['audit', 'check', '--json'],
    ['audit', 'verify', '--anchors', '[]'],
    ['monitors', 'update-many', '--ids', 'a,b', '--paused', 'true'],
  ];
  for (const [base, expected] of [
    [server, 1],
    [intact, 0],
  ] as const) {
    const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: base.url };
    const done = await Promise.all(commands.map((args) => floe(args, env)));
    assert.deepEqual(
      done.map(({ code, stderr }) => [code, stderr]),
      commands.map(() => [expected, '']),
    );
    assert.ok(done.every(({ stdout }) => stdout !== ''));
  }
});

test('the output of --json is JSON, also of an operation without a response and of a list that goes on', async (t) => {
  const server = await startFakeUpstream({
    respond: ({ method }) =>
      method === 'DELETE'
        ? { status: 204, headers: {}, body: '' }
        : createJsonReply({ data: [{ id: 'a' }], next_cursor: 'more' }),
  });
  t.after(() => server.close());
  const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: server.url };
  const revoked = await floe(['keys', 'revoke', 'key_1', '--json'], env);
  assert.deepEqual([revoked.code, revoked.stdout], [0, '']);
  const listed = await floe(['keys', 'list', '--limit', '1', '--json'], env);
  assert.deepEqual(JSON.parse(listed.stdout), [{ id: 'a' }]);
  assert.equal(listed.stderr, 'More rows exist. Use --all or --limit N.\n');
});

test('a name is searched in the whole list', async (t) => {
  const pages = 25;
  const server = await startFakeUpstream({
    respond: ({ path }) => {
      if (/\/limits\/lim_25/.test(path)) return createJsonReply({ id: 'lim_25' });
      if (/\/limits\//.test(path))
        return createJsonReply({ error: { message: 'No limit has this id.', code: 'not_found' } }, 404);
      const page = Number(new URL(path, 'http://floe').searchParams.get('cursor') ?? 1);
      const names = page === 25 ? ['last', 'twice'] : page === 1 ? ['twice'] : [];
      const data = names.map((name) => ({ id: `lim_${page}`, name }));
      return createJsonReply({ data, next_cursor: page < pages ? String(page + 1) : null });
    },
  });
  t.after(() => server.close());
  const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: server.url };
  const [last, twice] = await Promise.all(
    ['last', 'twice'].map((name) => floe(['limits', 'get', name, '--json'], env)),
  );
  assert.deepEqual(JSON.parse(last?.stdout ?? ''), { id: 'lim_25' });
  assert.match(twice?.stderr ?? '', /Several resources have the name "twice"/);
});

test('a response that is cut off is an error of the connection', async (t) => {
  const server = createServer((request, response) => {
    const type = request.url?.includes('export') ? 'application/x-ndjson' : 'application/json';
    response.writeHead(200, { 'content-type': type, 'content-length': '1000' });
    response.write('{"id":');
    setTimeout(() => response.destroy(), 50);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const url = `http://127.0.0.1:${address.port}`;
  const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: url };
  for (const args of [
    ['keys', 'get', 'key_1'],
    ['keys', 'list'],
    ['audit', 'export'],
  ]) {
    const { code, stderr } = await floe(args, env);
    assert.equal(code, 1);
    assert.match(stderr, /^floe: The request to http:\S+ failed: [^\n]+\. Check FLOE_BASE_URL\.\n$/);
  }
});

test('lists go on page by page as far as asked, and say when there is more', async () => {
  const rows = Array.from({ length: 1200 }, (_, at) => ({ id: `r${at}` }));
  const server = await startFakeUpstream({
    respond: ({ path }) => {
      const query = new URL(path, 'http://floe').searchParams;
      const from = Number(query.get('cursor') ?? 0);
      const to = from + Number(query.get('limit'));
      return createJsonReply({
        data: rows.slice(from, to),
        next_cursor: to < rows.length ? String(to) : null,
      });
    },
  });
  const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: server.url };
  const some = await floe(['requests', 'list', '--limit', '700'], env);
  assert.equal(some.stdout.trim().split('\n').length, 701);
  assert.match(some.stderr, /^More rows exist\. Use --all or --limit N\.\n$/);
  const all = await floe(['requests', 'list', '--all', '--json'], env);
  assert.deepEqual(JSON.parse(all.stdout), rows);
  await server.close();
});
