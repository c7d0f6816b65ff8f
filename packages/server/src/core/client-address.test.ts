import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClientAddressResolver } from './client-address.ts';

const TRUSTED = ['10.0.0.0/8', '2001:db8:1::/48', '127.0.0.1'];
const arrivals = createClientAddressResolver(TRUSTED);

interface Sent {
  readonly xff?: string;
  readonly proto?: string;
  readonly forwarded?: string;
}

function arrival(peer: string | undefined, { xff, proto, forwarded }: Sent) {
  return {
    socket: { remoteAddress: peer },
    headers: {
      ...(xff !== undefined && { 'x-forwarded-for': xff }),
      ...(proto !== undefined && { 'x-forwarded-proto': proto }),
      ...(forwarded !== undefined && { forwarded }),
    },
  };
}

const CASES: readonly (readonly [what: string, peer: string | undefined, sent: Sent, address: string])[] = [
  ['nothing said', '10.0.0.1', {}, '10.0.0.1'],
  ['a stranger that names somebody else', '192.0.2.9', { xff: '198.51.100.1' }, '192.0.2.9'],
  ['one trusted hop', '10.0.0.1', { xff: '198.51.100.1' }, '198.51.100.1'],
  ['a client that wrote a list itself', '10.0.0.1', { xff: '1.1.1.1, 198.51.100.1' }, '198.51.100.1'],
  ['two trusted hops', '10.0.0.1', { xff: '1.1.1.1, 198.51.100.1, 10.9.9.9' }, '198.51.100.1'],
  ['trusted hops alone: the first of them asked', '10.0.0.1', { xff: '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
  ['an entry that is no address', '10.0.0.1', { xff: '198.51.100.1, unknown' }, '10.0.0.1'],
  ['no address behind a trusted hop', '10.0.0.1', { xff: 'nonsense, 10.0.0.2' }, '10.0.0.2'],
  ['an address in another spelling', '10.0.0.1', { xff: '0x7f.1' }, '10.0.0.1'],
  ['a port', '10.0.0.1', { xff: '198.51.100.1:5555' }, '198.51.100.1'],
  ['IPv6 with a port', '10.0.0.1', { xff: '[2001:db8::5]:443' }, '2001:db8::5'],
  ['IPv6 in capitals', '10.0.0.1', { xff: '2001:DB8:0:0::5' }, '2001:db8::5'],
  ['IPv4 in IPv6 clothes', '::ffff:10.0.0.1', { xff: '::ffff:198.51.100.1' }, '198.51.100.1'],
  ['a trusted IPv6 peer', '2001:db8:1::7', { xff: '198.51.100.1' }, '198.51.100.1'],
  ['a link-local peer', 'fe80::1%eth0', { xff: '198.51.100.1' }, 'fe80::1'],
  ['empty entries', '10.0.0.1', { xff: ', ,198.51.100.1,,' }, '198.51.100.1'],
  ['an empty header', '10.0.0.1', { xff: '' }, '10.0.0.1'],
  ['Forwarded', '10.0.0.1', { forwarded: 'for=198.51.100.1;proto=https;by=10.0.0.1' }, '198.51.100.1'],
  ['Forwarded, quoted IPv6', '10.0.0.1', { forwarded: 'For="[2001:db8::5]:443"' }, '2001:db8::5'],
  [
    'Forwarded, two hops',
    '10.0.0.1',
    { forwarded: 'for=1.1.1.1, for=192.0.2.60, for=10.1.1.1' },
    '192.0.2.60',
  ],
  ['Forwarded, a comma in quotes', '10.0.0.1', { forwarded: 'for="_a,for=1.1.1.1"' }, '10.0.0.1'],
  ['Forwarded, hidden', '10.0.0.1', { forwarded: 'for=_hidden' }, '10.0.0.1'],
  ['Forwarded without for', '10.0.0.1', { forwarded: 'proto=https' }, '10.0.0.1'],
  ['both, the same', '10.0.0.1', { xff: '192.0.2.60', forwarded: 'for=192.0.2.60' }, '192.0.2.60'],
  ['both, in contradiction', '10.0.0.1', { xff: '1.1.1.1', forwarded: 'for=192.0.2.60' }, '10.0.0.1'],
  ['no connection any more', undefined, { xff: '1.1.1.1' }, ''],
];

test('the client address is the nearest hop that is not a trusted proxy', () => {
  for (const [what, peer, sent, address] of CASES)
    assert.equal(arrivals.addressOf(arrival(peer, sent)), address, what);
});

test('without trusted proxies, forwarded addresses are ignored', () => {
  const strict = createClientAddressResolver([]);
  for (const [what, peer, sent] of CASES) {
    const alone = strict.addressOf(arrival(peer, {}));
    assert.equal(strict.addressOf(arrival(peer, sent)), alone, what);
    assert.equal(strict.protocolOf(arrival(peer, { ...sent, proto: 'https' })), 'http', what);
  }
});

test('for any header, the result is an address', () => {
  for (const text of ['"', 'for=', 'for="', 'a=b;c', ',;,', 'for="\\"', '\u00e9', ',1'.repeat(20_000), '['])
    for (const sent of [{ xff: text }, { forwarded: text }, { xff: text, forwarded: text }])
      assert.match(arrivals.addressOf(arrival('10.0.0.1', sent)), /^[\d.]+$/);
});

test('the protocol is the one that the client used with the nearest trusted proxy', () => {
  const protocol = (peer: string, sent: Sent) => arrivals.protocolOf(arrival(peer, sent));
  assert.equal(protocol('10.0.0.1', { xff: '192.0.2.1', proto: 'https' }), 'https');
  assert.equal(protocol('10.0.0.1', { xff: '192.0.2.1', proto: 'HTTPS' }), 'https');
  assert.equal(protocol('192.0.2.9', { xff: '192.0.2.1', proto: 'https' }), 'http');
  assert.equal(protocol('10.0.0.1', { xff: '192.0.2.1, 10.0.0.2', proto: 'https, http' }), 'https');
  assert.equal(protocol('10.0.0.1', { xff: '1.1.1.1, 192.0.2.1', proto: 'https, http' }), 'http');
  assert.equal(protocol('10.0.0.1', { forwarded: 'for=192.0.2.1;proto=https' }), 'https');
  assert.equal(protocol('10.0.0.1', { forwarded: 'for=1.1.1.1;proto=https, for=192.0.2.1' }), 'http');
  assert.equal(protocol('10.0.0.1', { xff: '1.1.1.1', proto: 'https', forwarded: 'for=2.2.2.2' }), 'http');
});
