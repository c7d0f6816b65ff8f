import assert from 'node:assert/strict';
import { connect, Socket } from 'node:net';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { eventually } from '@floe/testkit/eventually';
import { FakeClock } from '@floe/testkit/fake-clock';
import fc from 'fast-check';
import { silentLog } from '../core/log.ts';
import { createHttpServer } from './server.ts';
import {
  markConnectionAuthenticated,
  UnauthenticatedConnectionLimiter,
} from './unauthenticated-connection-limiter.ts';

/** A connection that was never made, from an address. */
function stranger(address: string): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
}

const CAPS = { total: 10, perAddress: 4, trustedProxies: ['10.0.0.0/8'] };

/** Lets `close` events out. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('after the grace period, unauthenticated connections are limited per address and in total, and the newest remain', async () => {
  const addresses = fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '2001:db8::1');
  await fc.assert(
    fc.asyncProperty(fc.array(addresses, { maxLength: 60 }), async (from) => {
      const clock = new FakeClock();
      const strangers = new UnauthenticatedConnectionLimiter(CAPS, clock);
      const sockets = from.map((address) => stranger(address));
      for (const socket of sockets) strangers.track(socket);
      clock.advance(5_000);
      await turn();
      const open = sockets.filter(({ destroyed }) => !destroyed);
      assert.equal(strangers.size, open.length);
      assert.ok(open.length <= CAPS.total);
      for (const address of new Set(from)) {
        const own = sockets.filter(({ remoteAddress }) => remoteAddress === address);
        const kept = own.filter(({ destroyed }) => !destroyed);
        assert.ok(kept.length <= CAPS.perAddress);
        assert.deepEqual(kept, kept.length === 0 ? [] : own.slice(-kept.length));
      }
    }),
  );
});

test('a connection that authenticates within the grace period is never closed, for any number of connections', async () => {
  const clock = new FakeClock();
  const strangers = new UnauthenticatedConnectionLimiter({ ...CAPS, total: 100 }, clock);
  const sockets = Array.from({ length: 300 }, () => stranger('192.0.2.1'));
  for (const socket of sockets) strangers.track(socket);
  for (const socket of sockets) markConnectionAuthenticated(socket);
  clock.advance(60_000);
  await turn();
  assert.equal(strangers.size, 0);
  assert.ok(sockets.every(({ destroyed }) => !destroyed));
});

test('a burst is limited within the grace period too', () => {
  const strangers = new UnauthenticatedConnectionLimiter(CAPS, new FakeClock());
  for (let n = 0; n < 500; n++) strangers.track(stranger(`192.0.2.${n % 250}`));
  assert.ok(strangers.size <= 4 * CAPS.total);
});

test('connections of trusted proxies are not counted', () => {
  const clock = new FakeClock();
  const strangers = new UnauthenticatedConnectionLimiter(CAPS, clock);
  const sockets = Array.from({ length: 50 }, () => stranger('10.1.2.3'));
  for (const socket of sockets) strangers.track(socket);
  clock.advance(60_000);
  assert.ok(sockets.every(({ destroyed }) => !destroyed));
});

test('of more than 1,024 unauthenticated connections of one address, the oldest is closed, and authenticated ones remain', async () => {
  const { total, per_address: perAddress } = FloeConfigSchema.parse({}).server.unauthenticated_connections;
  assert.equal(perAddress, 1_024);
  const clock = new FakeClock();
  const strangers = new UnauthenticatedConnectionLimiter({ total, perAddress, trustedProxies: [] }, clock);
  const [known, other] = [stranger('192.0.2.1'), stranger('192.0.2.2')];
  const sockets = Array.from({ length: perAddress + 1 }, () => stranger('192.0.2.1'));
  for (const socket of [known, other, ...sockets]) strangers.track(socket);
  markConnectionAuthenticated(known);
  clock.advance(5_000);
  await turn();
  assert.deepEqual([known.destroyed, other.destroyed], [false, false]);
  assert.deepEqual(
    sockets.filter(({ destroyed }) => destroyed),
    sockets.slice(0, 1),
  );
});

test('the IPv6 addresses of one /64 network count as one address', async () => {
  const clock = new FakeClock();
  const strangers = new UnauthenticatedConnectionLimiter(CAPS, clock);
  const sockets = Array.from({ length: 6 }, (_, n) => stranger(`2001:db8:0:1::${n + 1}`));
  const others = ['2001:db8:0:2::1', '::ffff:192.0.2.1', '::ffff:192.0.2.2'].map((one) => stranger(one));
  for (const socket of [...others, ...sockets]) strangers.track(socket);
  clock.advance(5_000);
  await turn();
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [true, true, false, false, false, false],
  );
  assert.ok(others.every(({ destroyed }) => !destroyed));
});

test('a connection that closes makes a slot available', async () => {
  const clock = new FakeClock();
  const strangers = new UnauthenticatedConnectionLimiter(CAPS, clock);
  const [first, ...others] = Array.from({ length: 5 }, () => stranger('192.0.2.1'));
  for (const socket of [first, ...others]) if (socket) strangers.track(socket);
  others[0]?.destroy();
  await turn();
  clock.advance(5_000);
  assert.equal(strangers.size, 4);
  assert.equal(first?.destroyed, false);
});

test('a listener closes the oldest unauthenticated connections, and keeps authenticated ones', async () => {
  const clock = new FakeClock();
  const strangers = new UnauthenticatedConnectionLimiter(CAPS, clock);
  const entrance = {
    onRequest: (req: { readonly socket: Socket }, res: { end(text: string): void }) => {
      markConnectionAuthenticated(req.socket);
      res.end('known');
    },
    findExchangeRoute: () => undefined,
  };
  const server = createHttpServer(entrance, { clock, log: silentLog, connectionLimiter: strangers });
  const port = await server.listen('127.0.0.1', 0, 'server');
  const sockets: Socket[] = [];
  for (let n = 0; n < 7; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await eventually(() => strangers.size === n + 1 || undefined);
  }
  const [known] = sockets;
  known?.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await eventually(() => strangers.size === 6 || undefined);
  clock.advance(1_500);
  await eventually(() => sockets.filter(({ closed }) => closed).length === 2 || undefined);
  assert.deepEqual(
    sockets.map(({ closed }) => closed),
    [false, true, true, false, false, false, false],
  );
  for (const socket of sockets) socket.destroy();
  await server.drain(0);
});
