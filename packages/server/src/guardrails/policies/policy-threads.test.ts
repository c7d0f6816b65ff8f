import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { characterReadCounter } from '@floe/conditions/detect/sensitive-data-scan';
import type { PolicyConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import { scanJsonObject } from '@floe/wire/json-edits';
import fc from 'fast-check';
import { systemClock } from '../../core/clock.ts';
import { TaskCanceledError } from '../../core/thread-pool.ts';
import { selectEarlyStreamPolicies } from './early-stream-policies.ts';
import { evaluateRequestPolicies, evaluateResponsePolicies } from './evaluate-bodies.ts';
import { MAX_INLINE_SCANNED_CHARS, tryEvaluateInline } from './inline-limits.ts';
import { compilePolicies, type PolicySet } from './policies.ts';
import type { PolicyRequest } from './policy-request-view.ts';
import { detectFindingKinds, evaluateStreamPolicies } from './policy-tasks.ts';
import { type PolicyTaskContext, PolicyThreads } from './policy-threads.ts';

const threads = new PolicyThreads(systemClock);
after(() => threads.close());

const PII = ['email', 'phone', 'credit_card', 'iban', 'us_ssn'] as const;
const base = { enabled: true, mode: 'enforce' } as const;
const REDACT: PolicyConfig = {
  ...base,
  name: 'redact',
  on: 'request',
  detect: { secrets: true, pii: [...PII] },
  action: 'redact',
};
const POLICIES: readonly PolicyConfig[] = [
  { ...base, name: 'trusted', on: 'request', when: 'request.text.startsWith("trusted")', action: 'allow' },
  { ...base, name: 'pattern', on: 'request', when: 'request.text.matches("forbid+en")', action: 'deny' },
  { ...base, name: 'mail', on: 'request', detect: { secrets: false, pii: ['email'] }, action: 'redact' },
  { ...REDACT, name: 'watch', mode: 'monitor' },
  { ...base, name: 'keys', on: 'request', detect: { secrets: true, pii: [] }, action: 'deny' },
  { ...base, name: 'key-id', on: 'request', when: 'key == "k" && metadata.a == 1', action: 'flag' },
];
const VALUES = [
  'ada@example.org',
  '+49 30 1234567',
  '4111 1111 1111 1111',
  '123-45-6789',
  'ghp_aB3dE5gH7jK9mN2pQ4sT6vW8xY1zaB3dE5gH',
  'forbidden',
  'trusted',
  'x'.repeat(40_000),
  'An ordinary sentence. '.repeat(100),
  '\u00e9 "\\',
];

function compile(configs: readonly PolicyConfig[], on: 'request' | 'answer' = 'request'): PolicySet {
  const set = compilePolicies(configs)?.[on];
  assert.ok(set);
  return set;
}

function requestOf(texts: readonly string[], metadata: PolicyRequest['metadata'] = null): PolicyRequest {
  const messages = texts.map((content) => ({ role: 'user', content }));
  const body = Buffer.from(JSON.stringify({ model: 'm', messages }));
  const members = scanJsonObject(body);
  return {
    ...{ body, members, model: 'm', stream: false, surface: 'chat', key: 'k', team: null, owner: null },
    ...{ memberCount: members.memberCount, endUser: null, metadata, session: null },
  };
}

function callerOf(orgId: string, signal = new AbortController().signal): PolicyTaskContext {
  return { orgId, signal };
}

/** A pool whose threads run `code` for each message instead of evaluating policies. */
function createFakeThreads(code: string, settings: { threads?: number; maxQueuedPerOrg?: number } = {}) {
  const source = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (task) => { ${code} });
    parentPort.postMessage({ ready: true });`;
  const alarms: (() => void)[] = [];
  const clock = {
    after(ms: number, callback: () => void) {
      if (ms === 30_000) alarms.push(callback);
      return { cancel: () => undefined };
    },
  };
  const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  return { pool: new PolicyThreads(clock, { ...settings, entry }), alarms };
}

const isOverloaded = (error: unknown) => {
  assert.ok(error instanceof Fault);
  assert.equal(error.code, 'overloaded');
  assert.equal(error.detail.retryAfterMs, 1_000);
  return true;
};

test('a thread decides, explains and redacts as the main thread does', async () => {
  const texts = fc.array(fc.constantFrom(...VALUES), { maxLength: 6 });
  const configs = fc.subarray([...POLICIES], { minLength: 1 });
  const metadata = fc.constantFrom(null, { a: 1 }, { a: 'x' });
  await fc.assert(
    fc.asyncProperty(texts, configs, metadata, async (contents, chosen, given) => {
      const set = compile(chosen);
      const request = requestOf(contents, given);
      const expected = evaluateRequestPolicies(set, request);
      const actual = await threads.evaluateRequest(set, request, callerOf('acme'));
      assert.deepEqual(actual.evaluation, expected.evaluation);
      assert.equal(actual.body.toString(), expected.body.toString());
      const inline = tryEvaluateInline((limits) => evaluateRequestPolicies(set, request, limits));
      if (inline) assert.deepEqual(inline.evaluation, expected.evaluation);
      if (inline) assert.equal(inline.body.toString(), expected.body.toString());
    }),
    { numRuns: 150 },
  );
});

test('a thread evaluates responses and streams as the main thread does', async () => {
  const set = compile(
    [
      { ...base, name: 'watch', on: 'answer', when: 'request.text.contains("x")', action: 'flag' },
      { ...base, name: 'scrub', on: 'answer', detect: { secrets: true, pii: [...PII] }, action: 'redact' },
    ],
    'answer',
  );
  const usage = { units: { input: 1, output: 2 } };
  const request = requestOf(['x']);
  for (const content of VALUES) {
    const message = { role: 'assistant', content };
    const body = Buffer.from(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    const response = { request, dialect: 'chat', body, usage, id: 'exc_1' } as const;
    const actual = await threads.evaluateResponse(set, response, callerOf('acme'));
    const expected = evaluateResponsePolicies(set, response);
    assert.deepEqual(actual.evaluation, expected.evaluation);
    assert.equal(actual.body.toString(), expected.body.toString());
    const answer = { text: content, finish: 'stop', tools: [], usage };
    for (const early of [null, ['email'] as const]) {
      const stream = { request, answer, blocks: [content], strings: [content], early };
      const subset = early ? (selectEarlyStreamPolicies(set) ?? assert.fail()) : set;
      assert.deepEqual(
        await threads.evaluateStream(subset, stream, callerOf('acme')),
        evaluateStreamPolicies(subset, stream),
      );
    }
    const kinds = await threads.findKinds([content], set.detects, callerOf('acme'));
    assert.deepEqual(kinds, detectFindingKinds([content], set.detects));
  }
});

test('the main thread scans only up to its limit, and strings that are new', async () => {
  const set = compile([REDACT]);
  const hostile = '4111-1111-1111-1112 +1 555 010 9999 a@b GB00 078-05-1120 '.repeat(5_000);
  const readBy = async (work: () => unknown) => {
    const before = characterReadCounter.reads;
    await work();
    return characterReadCounter.reads - before;
  };
  const request = requestOf([hostile]);
  assert.equal(
    await readBy(() => tryEvaluateInline((limits) => evaluateRequestPolicies(set, request, limits))),
    0,
  );
  assert.equal(await readBy(() => threads.evaluateRequest(set, request, callerOf('acme'))), 0);
  // Many strings, each of which is short.
  const parts = requestOf(Array.from({ length: 300 }, () => hostile.slice(0, 1_000)));
  const inline = () =>
    assert.equal(
      tryEvaluateInline((limits) => evaluateRequestPolicies(set, parts, limits)),
      null,
    );
  const reads = await readBy(inline);
  assert.ok(reads > 0 && reads < MAX_INLINE_SCANNED_CHARS * 4, String(reads));

  // The next turn of a conversation repeats the first one.
  const clean = 'An ordinary sentence of a long conversation. '.repeat(4_000);
  const first = requestOf([clean]);
  assert.equal(
    tryEvaluateInline((limits) => evaluateRequestPolicies(set, first, limits)),
    null,
  );
  await threads.evaluateRequest(set, first, callerOf('acme'));
  const second = requestOf([clean, 'My address is ada@example.org']);
  const result = tryEvaluateInline((limits) => evaluateRequestPolicies(set, second, limits));
  assert.match(String(result?.body), /My address is \[redacted:email\]/);
});

test('all scans of an evaluation on the main thread share one limit, whatever is in the text', () => {
  const hostile = '4111-1111-1111-1112 +1 555 010 9999 a@b GB00 078-05-1120 ';
  const units = [
    ...['', '\u001b[m', '\\e[m', '\\x1b[m', '\\u001b[m', '\\033[m', '\\n', '\uff11'].map(
      (start) => start + hostile,
    ),
    `${hostile}ada@example.org `,
    `${hostile}ghp_aB3dE5gH7jK9mN2pQ4sT6vW8xY1zaB3dE5gH `,
  ];
  // The policies detect different kinds, so a body with findings is scanned once more to redact it.
  const flag: PolicyConfig = { ...REDACT, name: 'flag', action: 'flag' };
  const mail: PolicyConfig = { ...REDACT, name: 'mail', detect: { secrets: false, pii: ['email'] } };
  const nest = (text: string) => JSON.stringify([text]);
  for (const unit of units)
    for (const shape of [String, nest, (text: string) => nest(nest(nest(text)))])
      for (const chars of [1_000, 4_000, 8_000, 16_000, 32_000]) {
        const set = compile([flag, mail]);
        const request = requestOf([shape(unit.repeat(Math.ceil(chars / unit.length)))]);
        const before = characterReadCounter.reads;
        tryEvaluateInline((limits) => evaluateRequestPolicies(set, request, limits));
        const reads = characterReadCounter.reads - before;
        assert.ok(reads < MAX_INLINE_SCANNED_CHARS * 4, `${unit}: ${reads} reads for ${chars} characters`);
      }
});

test('an evaluation fails if its thread fails, exceeds its time or its memory, or the process ends', async () => {
  const set = compile([REDACT]);
  const request = requestOf(['ada@example.org']);
  const crashing = createFakeThreads('throw new Error("broken")');
  await assert.rejects(crashing.pool.evaluateRequest(set, request, callerOf('acme')), /broken/);
  const exiting = createFakeThreads('process.exit(0)');
  await assert.rejects(exiting.pool.evaluateRequest(set, request, callerOf('acme')), /exited with code/);

  const { pool, alarms } = createFakeThreads('');
  const late = assert.rejects(pool.evaluateRequest(set, request, callerOf('acme')), isOverloaded);
  while (alarms.length === 0) await setImmediate();
  alarms[0]?.();
  await late;
  const pending = assert.rejects(pool.evaluateRequest(set, request, callerOf('acme')), (error) => {
    assert.ok(error instanceof Fault);
    return error.code === 'shutting_down';
  });
  await setImmediate();
  await pool.close();
  await pending;
  assert.deepEqual(pool.stats(), { tasks: 0, bytes: 0, rejected: 1 });
  await Promise.all([crashing.pool.close(), exiting.pool.close()]);
});

test('the text of a stream is copied to a thread once, although a block and a string have it', async () => {
  const set = compile([{ ...REDACT, on: 'answer', action: 'flag' }], 'answer');
  const reply = `{ decisions: [], deniedBy: null, redact: [JSON.stringify(task.response).length], body: null, cleanTexts: [], kinds: [] }`;
  const { pool } = createFakeThreads(`parentPort.postMessage({ reply: ${reply} });`);
  const content = 'x'.repeat(100_000);
  const answer = { text: content, finish: 'stop', tools: [], usage: null };
  const stream = {
    request: requestOf([]),
    answer,
    blocks: [content, 'other'],
    strings: [content],
    early: null,
  };
  const { redact } = await pool.evaluateStream(set, stream, callerOf('acme'));
  const [bytes] = redact;
  assert.ok(Number(bytes) > 100_000 && Number(bytes) < 110_000, String(bytes));
  await pool.close();
});

test('organizations take turns, and one with too many waiting requests is rejected', async () => {
  const set = compile([REDACT]);
  const { pool } = createFakeThreads(
    'const nothing = []; parentPort.postMessage({ reply: { decisions: [], deniedBy: null, redact: [], body: null, cleanTexts: [], kinds: [] } });',
    { threads: 1, maxQueuedPerOrg: 10 },
  );
  const order: string[] = [];
  const ask = (org: string) =>
    pool.evaluateRequest(set, requestOf(['x']), callerOf(org)).then(
      () => order.push(org),
      (error) => isOverloaded(error) && order.push(`${org} rejected`),
    );
  await Promise.all([...Array.from({ length: 15 }, () => ask('greedy')), ask('modest')]);
  assert.equal(order.filter((who) => who === 'greedy rejected').length, 4);
  assert.equal(order.filter((who) => !who.includes(' ')).indexOf('modest'), 2, order.join());
  assert.deepEqual(pool.stats(), { tasks: 0, bytes: 0, rejected: 4 });
  await pool.close();
});

test('an organization cannot use all threads', async () => {
  const set = compile([REDACT]);
  // Each thread replies only to a modest request.
  const { pool } = createFakeThreads(
    'if (task.request.team === "modest") parentPort.postMessage({ reply: { decisions: [], deniedBy: null, redact: [], body: null, cleanTexts: [], kinds: [] } });',
  );
  const greedy = Array.from({ length: 5 }, () =>
    assert.rejects(pool.evaluateRequest(set, requestOf(['x']), callerOf('greedy'))),
  );
  await pool.evaluateRequest(set, { ...requestOf(['x']), team: 'modest' }, callerOf('modest'));
  await pool.close();
  await Promise.all(greedy);
});

test('the bytes of waiting requests are counted and limited, for an organization and in total', async () => {
  const set = compile([REDACT]);
  const { pool } = createFakeThreads('');
  const large = requestOf(['y'.repeat(30 * 1024 * 1024)]);
  const bytes = large.body.length;
  const ended: Promise<void>[] = [];
  const start = (org: string) => {
    ended.push(assert.rejects(pool.evaluateRequest(set, large, callerOf(org))));
  };
  for (const org of ['a', 'a', 'b', 'b', 'c', 'c']) start(org);
  assert.deepEqual(pool.stats(), { tasks: 6, bytes: 6 * bytes, rejected: 0 });
  await assert.rejects(pool.evaluateRequest(set, large, callerOf('a')), isOverloaded);
  start('d');
  start('d');
  await assert.rejects(pool.evaluateRequest(set, large, callerOf('e')), isOverloaded);
  await pool.close();
  await Promise.all(ended);
  assert.deepEqual(pool.stats(), { tasks: 0, bytes: 0, rejected: 2 });
});

test('a client that disconnects cancels its evaluation, whether it waits or runs', async () => {
  const set = compile([REDACT]);
  const { pool } = createFakeThreads('');
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  const ended = controllers.map(({ signal }) =>
    assert.rejects(
      pool.evaluateRequest(set, requestOf(['x']), callerOf('acme', signal)),
      (error) => error instanceof TaskCanceledError,
    ),
  );
  await setImmediate();
  assert.equal(pool.stats().tasks, 3);
  for (const [at, controller] of controllers.entries()) {
    controller.abort();
    await ended[at];
    assert.equal(pool.stats().tasks, 2 - at);
  }
  await pool.close();
});
