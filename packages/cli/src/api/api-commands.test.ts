import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { jsonReply } from '@floe/testkit/upstream-reply';
import { type ApiOperation, loadApiOperations, pathParameterNames } from './api-operations.ts';
import { findCompletions } from './completion.ts';
import { formatTable } from './format-rows.ts';
import { parseOperationArguments } from './operation-arguments.ts';

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
  test('every verb of the API can be called with what stands in its path, and not without it', () => {
    for (const { operation } of every) {
      const positions = pathParameterNames(operation).map((_, at) => `p ${at}`);
      const asked = parseOperationArguments(operation, positions);
      assert.ok(!asked.path.includes('{'), asked.path);
      assert.equal(asked.method, operation.method);
      assert.throws(
        () => parseOperationArguments(operation, [...positions, 'more']),
        /one argument too many/,
      );
      if (positions.length > 0)
        assert.throws(() => parseOperationArguments(operation, positions.slice(1)), /is missing/);
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
      /Unknown option/,
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
    const keys = [{ name: 'root', key: KEY, scopes: ['gateway', 'monitoring', 'management', 'read'] }];
    server = await startFloeProcess({ yaml: JSON.stringify({ orgs: [{ id: 'acme', keys }] }) });
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
    assert.match(unknown.stderr, /has no verb "frobnicate"[\s\S]*floe keys revoke <id>/);
    assert.equal((await floe(['limits', 'create', '--rpm', 'many'], env)).code, 2);
  });

  test('the body may come from a file, with options on top of it', async () => {
    const body = JSON.stringify({ scope: 'org', rpm: 10, name: 'from-file' });
    const made = await floe(['limits', 'create', '--file', '-', '--rpm', '20', '--json'], env, body);
    const { name, rpm }: { name: string; rpm: number } = JSON.parse(made.stdout);
    assert.deepEqual([name, rpm], ['from-file', 20]);
  });
});

test('lists go on page by page as far as asked, and say when there is more', async () => {
  const rows = Array.from({ length: 1200 }, (_, at) => ({ id: `r${at}` }));
  const server = await startFakeUpstream({
    respond: ({ path }) => {
      const query = new URL(path, 'http://floe').searchParams;
      const from = Number(query.get('cursor') ?? 0);
      const to = from + Number(query.get('limit'));
      return jsonReply({ data: rows.slice(from, to), next_cursor: to < rows.length ? String(to) : null });
    },
  });
  const env = { FLOE_API_KEY: 'eis_x', FLOE_BASE_URL: server.url };
  const some = await floe(['requests', 'list', '--limit', '700'], env);
  assert.equal(some.stdout.trim().split('\n').length, 701);
  assert.match(some.stderr, /There are more/);
  const all = await floe(['requests', 'list', '--all', '--json'], env);
  assert.deepEqual(JSON.parse(all.stdout), rows);
  await server.close();
});
