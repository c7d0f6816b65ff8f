import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAIN_THREAD_LIMIT_MS, measureCpuMs } from '../../../test/fuzz/main-thread.ts';
import { summarizeByPerson } from './relay-coverage.ts';

function createSession(n: number, owner: string) {
  return {
    first_key: 'key_1',
    session_id: `s${n}`,
    key_name: 'k',
    owner,
    agent: 'claude-code',
    agent_version: null,
    client_version: null,
    first_seen_at: n,
    last_seen_at: n,
    model_requests: 1,
    relay_calls: n % 2,
    last_model_request_at: n,
    last_relay_call_at: null,
  };
}

test('the coverage of as many sessions as it reads does not block the process, also if all have one owner', async () => {
  const sessions = Array.from({ length: 50_000 }, (_, n) => createSession(n, 'ada@example.com'));
  let rows: ReturnType<typeof summarizeByPerson> = [];
  const ms = await measureCpuMs(() => {
    rows = summarizeByPerson(sessions);
  });
  assert.deepEqual(
    rows.map(({ owner, sessions, covered_sessions }) => ({ owner, sessions, covered_sessions })),
    [{ owner: 'ada@example.com', sessions: 50_000, covered_sessions: 25_000 }],
  );
  assert.ok(ms < MAIN_THREAD_LIMIT_MS, `${ms} ms`);
});
