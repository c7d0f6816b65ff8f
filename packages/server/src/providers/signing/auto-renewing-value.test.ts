import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { AutoRenewingValue } from './auto-renewing-value.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Tokens `1`, `2`, … of an hour each, fetched when `give` is called; `fail` makes the fetch under way fail. */
function setUp(lifeMs = HOUR) {
  const clock = new FakeClock();
  const flights: { give: () => void; fail: () => void }[] = [];
  const renewed = new AutoRenewingValue(
    clock,
    () =>
      new Promise<{ n: number; expiresAt: number }>((resolve, reject) => {
        const n = flights.length + 1;
        const give = () => resolve({ n, expiresAt: clock.now() + lifeMs });
        flights.push({ give, fail: () => reject(new Error('away')) });
      }),
  );
  return { clock, flights, renewed };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('several callers that need the first token cause one request', async () => {
  const { flights, renewed } = setUp();
  assert.equal(renewed.current, undefined);
  const all = Promise.all([renewed.renew(), renewed.renew(), renewed.renew()]);
  flights[0]?.give();
  assert.deepEqual(
    (await all).map(({ n }) => n),
    [1, 1, 1],
  );
  assert.equal(flights.length, 1);
});

test('a token in use is renewed five minutes before it expires, without a wait', async () => {
  const { clock, flights, renewed } = setUp();
  const first = renewed.renew();
  flights[0]?.give();
  await first;
  clock.advance(54 * MINUTE);
  assert.equal(renewed.current?.n, 1);
  assert.equal(flights.length, 1);
  clock.advance(MINUTE);
  assert.equal(flights.length, 2);
  assert.equal(renewed.current?.n, 1, 'the old one serves while the new one is on its way');
  flights[1]?.give();
  await settled();
  assert.equal(renewed.current?.n, 2);
});

test('a failed renewal is repeated while the old token is valid; an expired token is not used', async () => {
  const { clock, flights, renewed } = setUp();
  const first = renewed.renew();
  flights[0]?.give();
  await first;
  clock.advance(55 * MINUTE);
  flights[1]?.fail();
  await settled();
  assert.equal(renewed.current?.n, 1);
  clock.advance(15_000);
  assert.equal(flights.length, 3);
  flights[2]?.fail();
  await settled();
  clock.advance(4 * MINUTE + 35_000);
  assert.equal(renewed.current, undefined, 'a token about to end is not sent');
});

test('an unused token expires, and its first use in the last minutes renews it without a wait', async () => {
  const { clock, flights, renewed } = setUp();
  const first = renewed.renew();
  flights[0]?.give();
  await first;
  assert.equal(renewed.current?.n, 1);
  clock.advance(55 * MINUTE);
  flights[1]?.give();
  await settled();
  clock.advance(56 * MINUTE);
  assert.equal(flights.length, 2, 'nobody used the second');
  assert.equal(renewed.current?.n, 2);
  assert.equal(flights.length, 3);
});

test('a short-lived token is renewed at half its lifetime, and one without an expiry never', async () => {
  const short = setUp(4 * MINUTE);
  const first = short.renewed.renew();
  short.flights[0]?.give();
  await first;
  short.clock.advance(2 * MINUTE);
  assert.equal(short.flights.length, 2);
  const forever = new AutoRenewingValue<{ readonly expiresAt: null }>(short.clock, async () => ({
    expiresAt: null,
  }));
  await forever.renew();
  short.clock.advance(1000 * HOUR);
  assert.notEqual(forever.current, undefined);
});

test('a rejected token is not used again, unless another one replaced it', async () => {
  const { flights, renewed } = setUp();
  const first = renewed.renew();
  flights[0]?.give();
  const old = await first;
  assert.ok(renewed.invalidate(old));
  const after = renewed.current;
  assert.equal(after, undefined);
  const second = renewed.renew();
  flights[1]?.give();
  await second;
  renewed.invalidate(old);
  assert.equal(renewed.current?.n, 2);
});
