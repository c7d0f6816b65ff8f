import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

/** Tests that every response cache must pass. `pass` advances the store's time. */
export function responseCacheSuite(
  kind: string,
  open: (t: TestContext) => Promise<{ cache: ResponseCache; pass: (ms: number) => Promise<void> }>,
): void {
  const answer = (text: string): CachedResponse => ({
    head: `{"é":"${text}"}`,
    body: Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(text)]),
  });

  test(`${kind}: a response is returned byte for byte, to its organization and its key only`, async (t) => {
    const { cache } = await open(t);
    await cache.put('one', 'key', answer('first'), 60_000);
    assert.deepEqual(await cache.get('one', 'key'), answer('first'));
    assert.equal(await cache.get('one', 'other'), null);
    assert.equal(await cache.get('two', 'key'), null);
    await cache.put('two', 'key', answer('second'), 60_000);
    await cache.put('one', 'key', answer('third'), 60_000);
    assert.deepEqual(await cache.get('one', 'key'), answer('third'));
    assert.deepEqual(await cache.get('two', 'key'), answer('second'));
  });

  test(`${kind}: a response expires`, async (t) => {
    const { cache, pass } = await open(t);
    await cache.put('one', 'short', answer('short'), 40);
    await cache.put('one', 'long', answer('long'), 600_000);
    await pass(60);
    assert.equal(await cache.get('one', 'short'), null);
    assert.deepEqual(await cache.get('one', 'long'), answer('long'));
  });

  test(`${kind}: empty responses and those of a megabyte are stored`, async (t) => {
    const { cache } = await open(t);
    const large = { head: '{}', body: Buffer.alloc(1024 * 1024, 'x') };
    await cache.put('one', 'large', large, 60_000);
    await cache.put('one', 'empty', { head: '', body: Buffer.alloc(0) }, 60_000);
    assert.deepEqual(await cache.get('one', 'large'), large);
    assert.deepEqual(await cache.get('one', 'empty'), { head: '', body: Buffer.alloc(0) });
  });
}
