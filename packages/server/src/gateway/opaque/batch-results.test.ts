import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findInjectedFault } from '@floe/testkit/fault-table';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';
import { NO_STORES } from '../test/no-stores.ts';
import type { ResultLines } from './resource-owner-store.ts';

const usage = { prompt_tokens: 10, completion_tokens: 1 };
const LINE = `${JSON.stringify({ response: { body: { model: 'm', usage } } })}\n`;

/** A gateway whose provider has batch results, and whose store remembers the counted lines. */
async function start(t: TestContext, text: () => string) {
  let counted = 0;
  const claims: ResultLines[] = [];
  const owner = { provider: 'a', credential: 'main', keyId: 'key_1', kind: 'files' };
  const reply = (): UpstreamReply => ({ headers: { 'content-type': 'application/jsonl' }, body: text() });
  const gateway = await startFakeClockGateway({
    upstreams: { a: reply },
    routes: [],
    org: { passthrough: { a: ['a'] } },
    dependencies: {
      resourceOwners: {
        ...NO_STORES.resourceOwners,
        find: async (_, ids) => new Map(ids.map((id) => [id, [owner]])),
        findCountedLines: async () => counted,
        async claimLines(_, lines) {
          claims.push(lines);
          counted = lines.to;
          return true;
        },
      },
    },
  });
  t.after(() => gateway.close());
  const read = (more: object = {}) =>
    gateway.settled(gateway.sendNative('a/v1/files/file-1/content', {}, { method: 'GET', ...more }));
  return { gateway, read, claims, tokens: () => gateway.rows.at(-1)?.input_tokens };
}

test('a part of batch results cannot be requested, because the whole results count as read', async (t) => {
  const { gateway, read } = await start(t, () => LINE);
  const headers = { range: 'bytes=0-9', 'if-range': '"x"', 'x-other': 'y' };
  await read({ headers });
  const sent = gateway.upstream('a').requests[0]?.headers;
  assert.deepEqual([sent?.['range'], sent?.['if-range'], sent?.['x-other']], [undefined, undefined, 'y']);
});

test('after an interrupted read of batch results, the next read counts the other lines', async (t) => {
  const { gateway, read, claims, tokens } = await start(t, () => LINE.repeat(1_000));
  await gateway.upstream('a').setFaults(findInjectedFault('cut-mid-answer/fin-content-length'));
  await read().catch(() => undefined);
  const counted = claims[0]?.to ?? 0;
  assert.ok(counted > 0 && counted < 1_000, String(counted));
  assert.equal(gateway.rows.at(-1)?.state, 'partial');
  assert.equal(tokens(), 10 * counted);
  await gateway.upstream('a').setFaults();
  await read();
  assert.equal(tokens(), 10 * (1_000 - counted));
  await read();
  assert.equal(tokens(), null);
  assert.deepEqual(claims, [
    { from: 0, to: counted },
    { from: counted, to: Infinity },
  ]);
});
