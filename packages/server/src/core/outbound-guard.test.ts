import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createOutboundGuard, type OutboundAccessSettings, OutboundBlockedError } from './outbound-guard.ts';

const STRICT: OutboundAccessSettings = {
  allowPrivate: false,
  privateNetworks: [],
  namedHosts: () => new Set(),
};
const ONE_ORG: OutboundAccessSettings = { ...STRICT, allowPrivate: true };

/** A resolver that answers each question from a list, in order; the last answer stays. */
const resolving = (...answers: readonly (readonly string[])[]) => {
  let asked = 0;
  return (_host: string, _options: unknown, done: (error: null, found: Found[]) => void) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
};
interface Found {
  address: string;
  family: number;
}

/** Port of a listener that counts who reached it. */
async function listener(t: TestContext) {
  const reached: number[] = [];
  const server = createServer((socket) => {
    reached.push(reached.length);
    socket.destroy();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, reached };
}

/** Whether the guard lets a connection through as far as the network. */
async function passes(
  rules: OutboundAccessSettings,
  host: string,
  port: number,
  resolver?: ReturnType<typeof resolving>,
) {
  const guard = resolver ? createOutboundGuard(() => rules, resolver) : createOutboundGuard(() => rules);
  try {
    (await guard.connect(host, port, 2_000)).destroy();
    return true;
  } catch (error) {
    if (error instanceof OutboundBlockedError) return false;
    return true;
  }
}

test('metadata and link-local addresses are rejected in every notation, whatever is allowed', async () => {
  const everything: OutboundAccessSettings = {
    allowPrivate: true,
    privateNetworks: ['0.0.0.0/0', '::/0'],
    namedHosts: () => new Set(['169.254.169.254:80', 'meta.example:80']),
  };
  for (const host of [
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.43518',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '0:0:0:0:0:ffff:169.254.169.254',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1:a9:fe:a9fe::',
    '2002:a9fe:a9fe::1',
    '::ffff:100.100.100.200',
    '169.254.169.254.',
    '169.254.0.1',
    'fd00:ec2::23',
    'fd20:ce::254',
    'febf::1',
    '192.0.0.192',
    'fd00:ec2::254',
    'fe80::1',
    '100.100.100.200',
    '168.63.129.16',
    'metadata.google.internal',
    'METADATA.google.internal.',
    'metadata.google.internal..',
    'metadata.goog',
    'instance-data.ec2.internal',
    '\u2460\u2465\u2468.254.169.254',
    '169\u3002254\u3002169\u3002254',
    '\uff11\uff16\uff19.254.169.254',
    'met\u00adadata.google.internal',
    '%31%36%39.254.169.254',
  ])
    assert.equal(await passes(everything, host, 80), false, host);
  assert.equal(await passes(everything, 'meta.example', 80, resolving(['169.254.169.254'])), false);
});

test('private and loopback addresses are rejected in every notation if there are several organizations', async (t) => {
  const { port, reached } = await listener(t);
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '017700000001',
    '2130706433',
    '0.0.0.0',
    'localhost',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    'fd12::1',
  ])
    assert.equal(await passes(STRICT, host, port), false, host);
  assert.deepEqual(reached, []);
});

test('only the host of a URL determines whether it is allowed', () => {
  const guard = createOutboundGuard(() => STRICT);
  for (const url of [
    'http://public.example@127.0.0.1/',
    'http://user:secret@169.254.169.254:80/latest',
    'https://[::ffff:7f00:1]:8443/a@b.example',
    'http://0x7f000001#@public.example/',
    'http://2130706433\\@public.example/',
  ])
    assert.ok(guard.checkOrigin(new URL(url)) instanceof OutboundBlockedError, url);
  for (const url of [
    'https://127.0.0.1@public.example/',
    'https://8.8.8.8/?127.0.0.1',
    'https://[2606:4700::1]/',
  ])
    assert.equal(guard.checkOrigin(new URL(url)), null, url);
});

test('addresses that do not identify one machine and reserved addresses are rejected', async () => {
  for (const host of ['224.0.0.1', '255.255.255.255', 'ff02::1'])
    assert.equal(await passes({ ...ONE_ORG, privateNetworks: ['0.0.0.0/0', '::/0'] }, host, 80), false, host);
  for (const host of ['192.0.2.1', '240.0.0.1', '192.88.99.1', '2001:db8::1', '2001::1', '100::1'])
    assert.equal(await passes(ONE_ORG, host, 80), false, host);
});

test('the message about a rejected address names the setting that allows it', async () => {
  const guard = createOutboundGuard(() => STRICT, resolving(['10.0.0.7']));
  await assert.rejects(guard.connect('hooks.example', 443, 1_000), {
    name: 'OutboundBlockedError',
    message: /hooks\.example \(10\.0\.0\.7\).*security\.private_networks/,
  });
});

test('private addresses are allowed with one organization, by a setting, or if the file contains host and port', async (t) => {
  const { port, reached } = await listener(t);
  assert.equal(await passes(ONE_ORG, '127.0.0.1', port), true);
  assert.equal(await passes({ ...STRICT, privateNetworks: ['127.0.0.0/8'] }, '127.0.0.1', port), true);
  const named = { ...STRICT, namedHosts: () => new Set([`inside.example:${port}`]) };
  assert.equal(await passes(named, 'Inside.example', port, resolving(['127.0.0.1'])), true);
  assert.equal(reached.length, 3);
  assert.equal(await passes(named, 'inside.example', port + 1, resolving(['127.0.0.1'])), false);
  assert.equal(await passes(named, 'other.example', port, resolving(['127.0.0.1'])), false);
});

test('a private address that the file contains for one organization is rejected for another', async (t) => {
  const { port, reached } = await listener(t);
  const byOrg = new Map<string | null, ReadonlySet<string>>([['acme', new Set([`127.0.0.1:${port}`])]]);
  const rules = { ...STRICT, namedHosts: (orgId: string | null) => byOrg.get(orgId) ?? new Set<string>() };
  const guard = createOutboundGuard(() => rules);
  const origin = new URL(`http://127.0.0.1:${port}`);
  assert.equal(guard.forOrg('acme').checkOrigin(origin), null);
  for (const other of [guard, guard.forOrg('globex'), guard.forOrg('acme').forOrg('globex')]) {
    assert.ok(other.checkOrigin(origin) instanceof OutboundBlockedError);
    await assert.rejects(other.connect('127.0.0.1', port, 1_000), { name: 'OutboundBlockedError' });
  }
  assert.equal(reached.length, 0);
  (await guard.forOrg('acme').connect('127.0.0.1', port, 1_000)).destroy();
});

test('the connection uses the address that was checked, even if the DNS record changes', async (t) => {
  const { port, reached } = await listener(t);
  // Public first and loopback next, as a rebinding server answers; the first would have to be connected to.
  const guard = createOutboundGuard(() => STRICT, resolving(['127.0.0.1'], ['192.0.2.1']));
  await assert.rejects(guard.connect('rebind.example', port, 500), { name: 'OutboundBlockedError' });
  // Of several addresses only those allowed are tried.
  const mixed = { ...STRICT, privateNetworks: ['127.0.0.1'] };
  assert.equal(await passes(mixed, 'mixed.example', port, resolving(['169.254.169.254', '127.0.0.1'])), true);
  assert.equal(reached.length, 1);
});

test('host names of one organization that do not resolve do not delay connections of another one', () => {
  const resolved: string[] = [];
  const guard = createOutboundGuard(
    () => ({ allowPrivate: false, privateNetworks: [], namedHosts: () => new Set() }),
    (host) => void resolved.push(host),
  );
  const connect = (orgId: string, host: string) =>
    guard.forOrg(orgId).connector(new URL(`https://${host}`), { timeout: 0 })(
      { hostname: host, protocol: 'https:', port: '443' },
      () => undefined,
    );
  for (let n = 0; n < 50; n++) connect('hostile', `hangs${n}.test`);
  connect('acme', 'api.test');
  assert.equal(resolved.at(-1), 'api.test');
  assert.ok(resolved.length < 10);
});
