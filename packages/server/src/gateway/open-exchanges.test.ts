import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../core/clock.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import { type OpenExchange, OpenExchanges } from './open-exchanges.ts';

setFlagsFromString('--expose-gc');
const collect: (options: { readonly type: 'major' | 'minor' }) => void = runInNewContext('gc');
/** Lets the engine release the targets of weak references, which it keeps until the end of a turn. */
const endTurn = () => new Promise((resolve) => setImmediate(resolve));

// A `Set` fails this test: the tables that it outgrew keep ended exchanges alive until a full collection. Under load, each
// collection of young objects then copied 2.4 of 24 MB and paused for 4.5 ms instead of 0.8 ms.
test('a finished exchange is collected as garbage of the young generation', async () => {
  const keyring = { currentFault: () => null };
  const open = new OpenExchanges(systemClock, () => keyring);
  const createExchange = (id: string): OpenExchange => ({
    id,
    client: { interrupt: () => undefined },
    caller: { key: { expiresAt: null } as KeyRecord },
  });
  let inProgress: OpenExchange[] = [];
  const ended: WeakRef<OpenExchange>[] = [];
  collect({ type: 'major' });
  for (let batch = 0; batch < 50; batch += 1) {
    const next = Array.from({ length: 16 }, (_, index) => createExchange(`${batch}-${index}`));
    for (const x of next) open.add(x);
    for (const x of inProgress) {
      open.delete(x);
      ended.push(new WeakRef(x));
    }
    inProgress = next;
    await endTurn();
    collect({ type: 'minor' });
  }
  await endTurn();
  collect({ type: 'minor' });
  const alive = ended.filter((reference) => reference.deref() !== undefined).length;
  assert.equal(open.size, 16);
  assert.ok(alive <= 64, `${alive} of ${ended.length} exchanges are still in memory`);
});
