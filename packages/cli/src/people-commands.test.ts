// Tier: ci. Starts the command line several times.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';

const PROGRAM = join(import.meta.dirname, 'main.ts');
const LINES = '{"kind":"user","id":"usr_1"}\n{"kind":"member","id":"mem_1"}\n';
const JOB = { id: 'job_1', state: 'running', result: null, error: null };

async function startFloe(t: TestContext, job: object) {
  const answers: Readonly<Record<string, UpstreamReply>> = {
    '/api/management/people/export': { headers: { 'content-type': 'application/x-ndjson' }, body: LINES },
    '/api/management/people/erase': createJsonReply(JOB),
    '/api/jobs/job_1': createJsonReply({ ...JOB, ...job }),
  };
  const server = await startFakeUpstream({
    respond: ({ path }) => answers[path] ?? createJsonReply({ error: { message: 'No.' } }, 404),
  });
  t.after(() => server.close());
  const floe = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [PROGRAM, 'people', ...args], {
      env: { ...MINIMAL_ENVIRONMENT, FLOE_API_KEY: 'eis_key', FLOE_BASE_URL: server.url },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code, out, err };
  };
  return { server, floe };
}

test('an export is written to a new file that only its user can read', async (t) => {
  const { floe, server } = await startFloe(t, {});
  const directory = mkdtempSync(join(tmpdir(), 'floe-people-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'ana.ndjson');
  assert.equal((await floe('export', '--email', 'ana@acme.example')).out, LINES);
  const saved = await floe('export', '--email', 'ana@acme.example', '--output', file);
  assert.equal(saved.code, 0, saved.err);
  assert.equal(readFileSync(file, 'utf8'), LINES);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const again = await floe('export', '--end-user', 'u-1', '--output', file);
  assert.equal(again.code, 2);
  assert.match(again.err, /cannot be created: .*exist.*Specify a file that does not exist/);
  assert.equal(server.requests.length, 2, 'nothing is exported without a file to write to');
});

test('an erasure needs one person, a reason and a confirmation, and prints what it erased', async (t) => {
  const { floe, server } = await startFloe(t, { state: 'done', result: { erased: { request: 3, user: 1 } } });
  const refused = [
    await floe('erase', '--reason', 'Request 1', '--yes'),
    await floe('erase', '--email', 'a@b.example', '--end-user', 'x', '--reason', 'Request 1', '--yes'),
    await floe('erase', '--end-user', 'x', '--yes'),
    await floe('erase', '--end-user', 'x', '--reason', 'Request 1'),
  ];
  assert.deepEqual(
    refused.map(({ code }) => code),
    [2, 2, 2, 2],
  );
  assert.match(refused[3]?.err ?? '', /add --yes/);
  assert.equal(server.requests.length, 0);
  const done = await floe('erase', '--member-id', 'mem_1', '--reason', 'Request 1', '--yes');
  assert.equal(done.code, 0, done.err);
  assert.match(done.out, /Erased:\n {2}request +3\n {2}user +1\n/);
  const sent: unknown = JSON.parse(String(server.requests[0]?.body));
  assert.deepEqual(sent, { member_id: 'mem_1', reason: 'Request 1' });
});

test('an erasure whose process ended asks for another run', async (t) => {
  const { floe } = await startFloe(t, { state: 'lost' });
  const lost = await floe('erase', '--end-user', 'x', '--reason', 'Request 1', '--yes');
  assert.equal(lost.code, 1);
  assert.match(lost.out, /incomplete: The background job has the state "lost"\. Run the command again/);
});
