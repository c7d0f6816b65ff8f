import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { policyDryRunAnswer } from '@floe/contract/api/policies';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { memberActor } from '../../platform/actor.ts';
import { deriveSecretsKey } from '../../platform/secrets.ts';
import { openSqlite } from '../../store/sqlite/open-sqlite.ts';
import { dryRunPolicies } from './dry-run.ts';

const SAMPLES = 50;
const ADA = { id: 'mem_a', userId: 'usr_a', email: 'a@acme.example', role: 'admin', team: null } as const;

test('others have their turn between any two bodies that a draft is tried on', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'floe-dry-run-'));
  const database = await openSqlite(join(dir, 'floe.db'), { log: silentLog, clock: systemClock });
  t.after(async () => {
    await database.close();
    await rm(dir, { recursive: true });
  });
  const verb = dryRunPolicies(() => assert.fail('the draft says which rules'), {
    open: () => assert.fail('nothing kept is asked for'),
  });
  const secretsKey = deriveSecretsKey(Buffer.alloc(32, 9));
  const host = { database, clock: systemClock, changed: async () => undefined, secretsKey };
  const actor = memberActor('acme', {
    ...ADA,
    sessionId: 'ses_1',
    issuer: null,
    isOperator: false,
    steppedUpUntil: 0,
  });
  const policies = [{ name: 'mail', on: 'request', detect: { pii: ['email'] }, action: 'deny' }];
  const request = { model: 'm', messages: [{ role: 'user', content: 'write to ana@example.org' }] };
  const samples = Array.from({ length: SAMPLES }, () => ({ request }));
  let turns = 0;
  const tick = () => {
    turns += 1;
    ticker = setImmediate(tick);
  };
  let ticker = setImmediate(tick);
  const raw = { params: {}, query: {}, body: { policies, samples }, idempotencyKey: undefined };
  const answer = policyDryRunAnswer.parse(await verb.show?.(database.read, host, actor, raw));
  clearImmediate(ticker);
  assert.ok(answer.data.every((one) => one.request.outcome === 'denied'));
  assert.equal(answer.data.length, SAMPLES);
  assert.ok(turns >= SAMPLES - 1, `${turns} turns`);
});
