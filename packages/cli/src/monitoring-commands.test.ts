// Tier: ci. Starts the command line many times.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { loadApiOperations } from './api/api-operations.ts';
import { findOperationCommand } from './api/operation-command.ts';
import { beatCommand } from './beat.ts';
import { readApiConnection } from './connection.ts';
import { runCommand } from './run.ts';

const PROGRAM = join(import.meta.dirname, 'main.ts');
const monitorsCommand =
  findOperationCommand(loadApiOperations(), ['monitors'], []) ?? assert.fail('there is no list of monitors');
const BEAT_PATH = '/api/monitoring/heartbeat';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

interface Cleanup {
  after(fn: () => unknown): void;
}

/** A Floe that records beats; what a path answers can be changed. */
async function fakeFloe(
  t: Cleanup,
  answers: Readonly<Record<string, UpstreamReply>> = {},
): Promise<FakeUpstream> {
  const server = await startFakeUpstream({
    respond: ({ path }) => {
      const given = answers[path];
      if (given) return given;
      if (path.startsWith('/beat/')) return { headers: { 'content-type': 'text/plain' }, body: 'OK' };
      if (path !== BEAT_PATH) return refusal(404, 'not_found');
      return createJsonReply({
        ok: true,
        monitor_id: 'job',
        beat_id: 'beat_1',
        received_at: '2026-11-21T12:00:00.000Z',
        status: 'healthy',
        next_due_at: '2026-11-21T13:00:00.000Z',
      });
    },
  });
  t.after(() => server.close());
  return server;
}

function refusal(status: number, code: string): UpstreamReply {
  return createJsonReply({ error: { message: `No: ${code}.`, type: 'x', param: null, code } }, status);
}

function start(args: readonly string[], env: Readonly<Record<string, string>>, input = ''): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...MINIMAL_ENVIRONMENT, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  child.stdin?.on('error', () => undefined).end(input);
  return child;
}

async function ended(child: ChildProcess) {
  const parts = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    parts.stdout += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    parts.stderr += part;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, ...parts };
}

function floe(
  server: FakeUpstream | string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const url = typeof server === 'string' ? server : server.url;
  return ended(start(args, { FLOE_API_KEY: 'eis_test_key', FLOE_BASE_URL: url, ...env }));
}

function bodies(server: FakeUpstream, path: string): unknown[] {
  return server.requests.filter((request) => request.path === path).map((request) => bodyOf(request.body));
}

function bodyOf(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'));
}

/** A job that does what the code says. */
function job(code: string): string[] {
  return ['--', process.execPath, '-e', code];
}

suite('floe beat', { concurrency: 3 }, () => {
  test('sends a beat with its metadata and says when the next is due', async (t) => {
    const server = await fakeFloe(t);
    const done = await floe(`${server.url}/`, ['beat', 'job', '-m', 'host=db-1', '--metadata', 'a=b=c']);
    assert.deepEqual(done, {
      code: 0,
      signal: null,
      stdout: 'job: beat recorded, healthy; next due at 2026-11-21T13:00:00.000Z\n',
      stderr: '',
    });
    assert.deepEqual(bodies(server, BEAT_PATH), [
      { monitor_id: 'job', metadata: { host: 'db-1', a: 'b=c' } },
    ]);
    const large = await floe(server, ['beat', 'job', '-m', `text=${'x'.repeat(20_000)}`]);
    assert.match(large.stderr, /^floe: job: metadata exceeds 16384 bytes[^\n]*\n$/);
    const quiet = await floe(server, ['beat', 'job', '-q']);
    assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, '', '']);
  });

  test('prints the response as JSON, including failures', async (t) => {
    const server = await fakeFloe(t);
    const done = await floe(server, ['beat', 'job', '--json']);
    assert.deepEqual(JSON.parse(done.stdout), {
      ok: true,
      monitor_id: 'job',
      beat_id: 'beat_1',
      received_at: '2026-11-21T12:00:00.000Z',
      status: 'healthy',
      next_due_at: '2026-11-21T13:00:00.000Z',
    });
    const refusing = await fakeFloe(t, { [BEAT_PATH]: refusal(404, 'monitor_not_found') });
    const refused = await floe(refusing, ['beat', 'job', '--json']);
    const { ok, error } = JSON.parse(refused.stdout);
    assert.deepEqual([refused.code, ok, error.code, error.status], [1, false, 'monitor_not_found', 404]);
  });

  test('an unknown monitor is exit code 1 with what the server says', async (t) => {
    const server = await fakeFloe(t, { [BEAT_PATH]: refusal(404, 'monitor_not_found') });
    const { code, stderr } = await floe(server, ['beat', 'job']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^floe: could not send a beat for job: .* responded with 404 monitor_not_found: No: monitor_not_found\.$/m,
    );
  });

  test('used wrongly it says how it is used, exit code 2', async () => {
    const { code, stderr } = await floe('http://127.0.0.1:9', ['beat', 'a', 'b']);
    assert.deepEqual([code, stderr], [2, 'floe: usage: floe beat <monitor-id>\n']);
    for (const [command, args, said] of [
      [beatCommand, [], /usage: floe beat <monitor-id>/],
      [beatCommand, ['a', '-m', 'x'], /--metadata x: must have the form key=value/],
      [beatCommand, ['a', '--fast'], /--fast/],
      [runCommand, ['a'], /usage: floe run <monitor-id> -- <command>/],
      [runCommand, ['a', '--'], /usage/],
      [runCommand, ['--', 'true'], /usage/],
    ] as const)
      await assert.rejects(command.run(args), said);
    assert.throws(() => readApiConnection({}), /FLOE_API_KEY is not set/);
    const wrong = { FLOE_API_KEY: 'eis_a', FLOE_BASE_URL: 'floe' };
    assert.throws(() => readApiConnection(wrong), /FLOE_BASE_URL must be an http or https URL/);
    const gateway = { FLOE_API_KEY: 'eis_a', FLOE_BASE_URL: 'https://floe.test/prefix/gateway/v1/' };
    assert.throws(
      () => readApiConnection(gateway),
      /must not end in \/gateway\/v1, .* Set it to https:\/\/floe\.test\/prefix$/,
    );
    const below = { FLOE_API_KEY: 'eis_a', FLOE_BASE_URL: 'https://floe.test/tools/gateway' };
    assert.equal(readApiConnection(below).baseUrl, 'https://floe.test/tools/gateway');
  });

  test('a key or URL that no request can contain is an error that names the variable and no secret', () => {
    for (const key of ['eis_a\neis_b', 'eis_\u043a', 'eis a'])
      assert.throws(
        () => readApiConnection({ FLOE_API_KEY: key }),
        (error: Error) => /^FLOE_API_KEY contains/.test(error.message) && !error.message.includes(key),
      );
    const urls = ['https://u:pw@floe.test', 'https://floe.test?a=pw', 'https://floe.test/a b', 'https:///pw'];
    for (const url of urls)
      assert.throws(
        () => readApiConnection({ FLOE_API_KEY: 'eis_a', FLOE_BASE_URL: url }),
        (error: Error) => /^FLOE_BASE_URL must be/.test(error.message) && !error.message.includes('pw'),
      );
  });

  test('every monitoring command explains itself', async () => {
    const { code, stdout } = await floe('', ['run', 'a', '--help', '--', 'b']);
    assert.equal(code, 0);
    assert.match(stdout, /^floe run <monitor-id> -- <command>\nRuns a command/);
    for (const { help = '' } of [beatCommand, runCommand, monitorsCommand])
      assert.match(help, /FLOE_API_KEY/);
  });
});

suite('floe run', { concurrency: 3 }, () => {
  test('a command that succeeds passes through and beats with its duration and output', async (t) => {
    const server = await fakeFloe(t);
    const code = `process.stdin.pipe(process.stdout); process.stdin.on('end', () => console.error('to err'))`;
    const env = { FLOE_API_KEY: 'eis_test_key', FLOE_BASE_URL: server.url };
    const done = await ended(start(['run', 'job', '-m', 'host=a', ...job(code)], env, 'from stdin\n'));
    assert.deepEqual(done, { code: 0, signal: null, stdout: 'from stdin\n', stderr: 'to err\n' });
    const [sent] = bodies(server, BEAT_PATH);
    const { metadata } = Object(sent);
    assert.equal(metadata.host, 'a');
    assert.equal(metadata.exit_status, 0);
    assert.ok(Number.isInteger(metadata.duration_ms));
    assert.match(metadata.output, /from stdin\n/);
    assert.match(metadata.output, /to err\n/);
  });

  test('only the last 8 KB of output are sent, and all of it passes through', async (t) => {
    const server = await fakeFloe(t);
    const code = `process.stdout.write('ü'.repeat(100000) + 'end')`;
    const { stdout } = await floe(server, ['run', 'job', ...job(code)]);
    assert.equal(stdout.length, 100_003);
    const { metadata } = Object(bodies(server, BEAT_PATH)[0]);
    assert.match(metadata.output, /^…ü+end$/);
    assert.ok(Buffer.byteLength(metadata.output) <= 8195);
    await floe(server, ['run', 'job', '--no-output', ...job('console.log(1)')]);
    assert.equal(Object(bodies(server, BEAT_PATH)[1]).metadata.output, undefined);
  });

  test('the exit code is the command’s, and a failure without a beat URL sends nothing and says so', async (t) => {
    const server = await fakeFloe(t);
    const failed = await floe(server, ['run', 'job', ...job('process.exit(3)')]);
    assert.equal(failed.code, 3);
    assert.match(
      failed.stderr,
      /^floe: could not report to job: the beat URL of the monitor could not be read, so the monitor fails only when its next beat is overdue/,
    );
    assert.equal(
      (await floe(server, ['run', 'job', ...job('process.kill(process.pid, "SIGKILL")')])).signal,
      'SIGKILL',
    );
    const missing = await floe(server, ['run', 'job', '--', 'no-such-program-here']);
    assert.equal(missing.code, 127);
    assert.match(
      missing.stderr,
      /^floe: no-such-program-here: command not found\nfloe: could not report to job: /,
    );
    assert.deepEqual(bodies(server, BEAT_PATH), []);
  });

  test('a command that cannot be started ends with the status of a shell, and the failure is reported', async (t) => {
    const server = await fakeFloe(t, {});
    const env = { FLOE_BEAT_URL: `${server.url}/beat/secret-token` };
    for (const [program, status, reason] of [
      ['', 127, 'command not found'],
      [`${process.execPath}/inside-a-file`, 126, 'Error: spawn ENOTDIR'],
      ['/', 126, 'Error: spawn / EACCES'],
    ] as const) {
      const { code, stderr } = await floe(server, ['run', 'job', '--', program], env);
      assert.equal(code, status);
      assert.ok(stderr.startsWith(`floe: ${program}: ${reason}\n`), stderr);
      const reported = server.requests.map(({ path }) => path.split('?')[0]);
      assert.equal(reported.at(-1), `/beat/secret-token/${status}`);
    }
  });

  test('with a key that may read the monitor, start, status and output go to its beat URL', async (t) => {
    const server = await fakeFloe(t, {
      '/api/monitoring/monitors/my%20job': createJsonReply({
        beat_url: 'https://floe.internal/beat/secret-token',
      }),
    });
    const args = ['run', 'my job', '-m', 'host=a', ...job('console.log("bad"); process.exit(7)')];
    const { code, stderr } = await floe(server, args);
    assert.deepEqual([code, stderr], [7, '']);
    const [, begin, end] = server.requests;
    assert.match(begin?.path ?? '', new RegExp(`^/beat/secret-token/start\\?rid=${UUID}$`));
    assert.equal(end?.path, begin?.path.replace('/start', '/7'));
    assert.equal(end?.body.toString(), 'host=a\nbad\n');
    assert.equal(end?.headers['x-api-key'], undefined);
    assert.equal(server.requests.length, 3);
  });

  test('a failure is reported even if the server was unavailable when the command started', async (t) => {
    let lookups = 0;
    const server = await fakeFloe(t, {
      get '/api/monitoring/monitors/job'() {
        lookups += 1;
        if (lookups === 1) return refusal(503, 'overloaded');
        return createJsonReply({ beat_url: 'https://floe.internal/beat/secret-token' });
      },
    });
    const { code, stderr } = await floe(server, ['run', 'job', ...job('process.exit(7)')]);
    assert.deepEqual([code, stderr], [7, '']);
    assert.match(server.requests.at(-1)?.path ?? '', /^\/beat\/secret-token\/7\?/);
  });

  test('a command that has ended is reported even if floe is asked to stop', async (t) => {
    const reporting = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const server = await startFakeUpstream({
      respond: async ({ path }) => {
        if (path !== BEAT_PATH) return refusal(404, 'not_found');
        reporting.resolve();
        await stopped.promise;
        return refusal(503, 'overloaded');
      },
    });
    t.after(() => server.close());
    const child = start(['run', 'job', ...job('')], {
      FLOE_BASE_URL: server.url,
      FLOE_API_KEY: 'eis_test',
    });
    const result = ended(child);
    await reporting.promise;
    child.kill('SIGTERM');
    stopped.resolve();
    assert.deepEqual([(await result).code, bodies(server, BEAT_PATH).length > 1], [0, true]);
  });

  test('a beat URL in the environment needs no key', async (t) => {
    const server = await fakeFloe(t);
    const env = { FLOE_API_KEY: '', FLOE_BEAT_URL: `${server.url}/beat/secret-token` };
    const { code, stderr } = await floe(server, ['run', 'job', ...job('')], env);
    assert.deepEqual([code, stderr], [0, '']);
    const paths = server.requests.map(({ path }) => path.replace(/\?.*/, ''));
    assert.deepEqual(paths, ['/beat/secret-token/start', '/beat/secret-token/0']);
  });

  test('output that cannot be written does not stop the report; other commands fail with one line', async (t) => {
    if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full');
    const server = await fakeFloe(t);
    const full = openSync('/dev/full', 'w');
    t.after(() => closeSync(full));
    const write = async (...args: string[]) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        env: { ...MINIMAL_ENVIRONMENT, FLOE_BEAT_URL: `${server.url}/beat/secret-token` },
        stdio: ['ignore', full, 'pipe'],
      });
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (part: string) => {
        stderr += part;
      });
      const [code] = await once(child, 'close');
      return [code, stderr];
    };
    const script = 'console.log(1); process.exitCode = 7; process.stdout.on("error", () => undefined)';
    assert.deepEqual(await write('run', 'job', ...job(script)), [7, '']);
    const paths = server.requests.map(({ path }) => path.replace(/\?.*/, ''));
    assert.deepEqual(paths, ['/beat/secret-token/start', '/beat/secret-token/7']);
    assert.deepEqual(await write('help'), [
      1,
      'floe: The output could not be written (ENOSPC). Check the disk space.\n',
    ]);
  });

  test('without a key, or against a server that refuses or is gone, the command runs all the same', async (t) => {
    const unwatched = await floe('http://127.0.0.1:9', ['run', 'job', ...job('process.exit(4)')], {
      FLOE_API_KEY: '',
    });
    assert.equal(unwatched.code, 4);
    assert.match(
      unwatched.stderr,
      /^floe: the command runs without monitoring: FLOE_API_KEY is not set[^\n]*\n$/,
    );
    const refusing = await fakeFloe(t, { [BEAT_PATH]: refusal(401, 'invalid_api_key') });
    const refused = await floe(refusing, ['run', 'job', ...job('console.log("done")')]);
    assert.deepEqual([refused.code, refused.stdout], [0, 'done\n']);
    assert.match(refused.stderr, /^floe: could not report to job: .*401 invalid_api_key/);
    const gone = await floe('http://127.0.0.1:9', ['run', 'job', ...job('console.log("done")')]);
    assert.deepEqual([gone.code, gone.stdout], [0, 'done\n']);
    assert.match(gone.stderr, /^floe: could not report to job: /);
  });

  test('with a key or URL that cannot be used, the command runs to its end and its exit code is returned', async () => {
    const command = job('setTimeout(() => { console.log("done"); process.exit(4); }, 300)');
    const invalid = [{ FLOE_API_KEY: 'eis_a\neis_b' }, { FLOE_BASE_URL: 'http://u:p@127.0.0.1:9' }];
    for (const env of invalid) {
      const { code, stdout, stderr } = await floe('http://127.0.0.1:9', ['run', 'job', ...command], env);
      assert.deepEqual([code, stdout], [4, 'done\n']);
      assert.match(stderr, /^floe: the command runs without monitoring: FLOE_\w+ [^\n]+\n$/);
    }
  });

  test('a server that never answers does not keep the command from starting, running and ending', async (t) => {
    const hole = await startFakeUpstream({ respond: () => new Promise<UpstreamReply>(() => undefined) });
    t.after(() => hole.close());
    const child = start(['run', 'job', ...job('console.log("done"); process.exit(5)')], {
      FLOE_API_KEY: 'eis_test_key',
      FLOE_BASE_URL: hole.url,
    });
    const { code, stderr } = await ended(child);
    assert.equal(code, 5);
    assert.match(stderr, /^floe: could not report to job: /);
  });

  test('signals reach the command, which decides what becomes of them', async (t) => {
    const server = await fakeFloe(t);
    const env = { FLOE_API_KEY: 'eis_test_key', FLOE_BASE_URL: server.url };
    const code = `process.on('SIGTERM', () => { console.log('tidied'); process.exit(9); });
      setTimeout(() => process.exit(1), 30000); console.log('ready')`;
    const child = start(['run', 'job', ...job(code)], env);
    const done = ended(child);
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const { code: status, stdout } = await done;
    assert.deepEqual([status, stdout], [9, 'ready\ntidied\n']);
    const plain = start(['run', 'job', ...job(`setTimeout(() => {}, 30000); console.log('ready')`)], env);
    const killed = ended(plain);
    if (plain.stdout) await once(plain.stdout, 'data');
    plain.kill('SIGTERM');
    assert.equal((await killed).signal, 'SIGTERM');
  });

  test('a signal that cannot be sent to the command does not end it', async (t) => {
    const server = await fakeFloe(t);
    // Sending a signal to a job of another user, such as `sudo`, fails with EPERM.
    const preload = `data:text/javascript,${encodeURIComponent(`
      import { ChildProcess } from 'node:child_process';
      ChildProcess.prototype.kill = function (signal) {
        process.stderr.write('kill ' + signal + '\\n');
        this.emit('error', Object.assign(new Error('kill EPERM'), { code: 'EPERM' }));
        return false;
      };`)}`;
    const code = "console.log('ready'); process.stdin.on('end', () => console.log('done')).resume();";
    const child = spawn(
      process.execPath,
      ['--import', preload, PROGRAM, 'run', 'job', '--', process.execPath, '-e', code],
      { env: { ...MINIMAL_ENVIRONMENT, FLOE_API_KEY: 'eis_test_key', FLOE_BASE_URL: server.url } },
    );
    const over = ended(child);
    child.stdout.once('data', () => child.kill('SIGTERM'));
    // The command ends after both signals could not be sent to it.
    child.stderr.once('data', () => {
      child.stderr.once('data', () => child.stdin.end());
      child.kill('SIGTERM');
    });
    const { code: status, stdout, stderr } = await over;
    assert.deepEqual([status, stdout, stderr], [0, 'ready\ndone\n', 'kill SIGTERM\nkill SIGTERM\n']);
    assert.equal(bodies(server, BEAT_PATH).length, 1);
  });

  test('what stands after "--" is the command’s own, help included', async (t) => {
    const server = await fakeFloe(t);
    const code = 'console.log(process.argv.slice(1).join())';
    const { stdout } = await floe(server, ['run', 'job', ...job(code), '--', '--help', '-m', '--']);
    assert.equal(stdout, '--help,-m,--\n');
  });
});

suite('floe monitors', { concurrency: 3 }, () => {
  const one = {
    id: 'nightly',
    name: 'Nightly backup',
    status: 'healthy',
    last_beat_at: '2026-11-21T03:00:00.000Z',
    next_due_at: '2026-11-22T03:00:00.000Z',
    tags: ['db'],
  };
  const two = {
    id: 'q',
    name: 'Queue\u001b[31m',
    status: 'waiting',
    last_beat_at: null,
    next_due_at: null,
    tags: [],
  };
  const first = '/api/monitoring/monitors?limit=50';
  const pages = {
    [first]: createJsonReply({ data: [one], next_cursor: 'a/b' }),
    '/api/monitoring/monitors?limit=49&cursor=a%2Fb': createJsonReply({ data: [two], next_cursor: null }),
    '/api/monitoring/monitors?status=waiting&limit=50': createJsonReply({ data: [two], next_cursor: null }),
    '/api/monitoring/monitors?tag=none&limit=50': createJsonReply({ data: [], next_cursor: null }),
    '/api/monitoring/monitors?limit=1': createJsonReply({ data: [one], next_cursor: 'a/b' }),
  };

  test('lists every page as a table', async (t) => {
    const server = await fakeFloe(t, pages);
    const { code, stdout } = await floe(server, ['monitors']);
    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n'), [
      'ID       STATUS   LAST BEAT             NEXT DUE              NAME',
      'nightly  healthy  2026-11-21T03:00:00Z  2026-11-22T03:00:00Z  Nightly backup',
      'q        waiting  -                     -                     Queue [31m',
      '',
    ]);
  });

  test('gives every field as JSON, and only those asked for', async (t) => {
    const server = await fakeFloe(t, pages);
    assert.deepEqual(JSON.parse((await floe(server, ['monitors', '--json'])).stdout), [one, two]);
    const waiting = await floe(server, ['monitors', '--json', '--status', 'waiting']);
    assert.deepEqual(JSON.parse(waiting.stdout), [two]);
    assert.equal((await floe(server, ['monitors', '--tag', 'none'])).stdout, 'None.\n');
  });

  test('lists at most so many', async (t) => {
    const server = await fakeFloe(t, pages);
    const { stdout } = await floe(server, ['monitors', '--json', '--limit', '1']);
    assert.deepEqual(JSON.parse(stdout), [one]);
    for (const limit of ['0', '-1', 'x', '1.5'])
      assert.equal((await floe(server, ['monitors', `--limit=${limit}`])).code, 2, limit);
  });

  test('a reader that has read enough ends a command without a word', async (t) => {
    const many = Array.from({ length: 5_000 }, (_, n) => ({ ...one, id: `nightly-${n}` }));
    const server = await fakeFloe(t, { [first]: createJsonReply({ data: many, next_cursor: null }) });
    for (const args of [['monitors'], ['monitors', '--json'], ['help'], ['completion', 'bash']]) {
      const env = { FLOE_API_KEY: 'eis_test_key', FLOE_BASE_URL: server.url };
      const child = start(args, env);
      // As `head -1` that is done before the first line.
      child.stdout?.destroy();
      const { stderr, signal } = await ended(child);
      assert.deepEqual([stderr, signal], ['', null], args.join(' '));
    }
  });

  test('tells what went wrong in one line, without the key and without following redirects', async (t) => {
    for (const [reply, said] of [
      [
        createJsonReply({ error: { message: 'Key eis_test_key may not.', code: 'x' } }, 403),
        /returned an error: Key \[key\] may not\.$/,
      ],
      [
        { status: 307, headers: { location: '/elsewhere' }, body: '' },
        /responded with status 307, but the response is not from Floe/,
      ],
      [
        { headers: { 'content-type': 'text/html' }, body: '<p>' },
        /responded with status 200, but the response is not from Floe/,
      ],
      [createJsonReply({ data: 7 }), /did not return a list/],
    ] as const) {
      const server = await fakeFloe(t, { [first]: reply });
      Object.assign(process.env, { FLOE_API_KEY: 'eis_test_key', FLOE_BASE_URL: server.url });
      await assert.rejects(monitorsCommand.run([]), { name: 'ApiRequestError', message: said });
      assert.equal(server.requests.length, 1);
    }
    const gone = await floe('http://127.0.0.1:9', ['monitors']);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /^floe: The request to http:\/\/127\.0\.0\.1:9 failed: .*FLOE_BASE_URL/);
  });
});
