// The ways out: straight, through a proxy, to hosts of a private authority, and with a certificate of our own.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { createCertificateAuthority, issueCertificate } from '@floe/testkit/certificate';
import { FakeClock } from '@floe/testkit/fake-clock';
import { createOutboundGuard } from '../core/outbound-guard.ts';
import { sendBufferedRequest } from './buffered-request.ts';
import {
  OutboundConfigError,
  type OutboundConnectionSettings,
  resolveOutboundConnections,
} from './outbound-connections.ts';
import { createUpstreamHttpTransport } from './upstream-http-transport.ts';

const folder = mkdtempSync(join(tmpdir(), 'floe-ways-'));
const at = (name: string) => join(folder, name);
const NOTHING: OutboundConnectionSettings = { proxy: '', no_proxy: '', ca_file: '' };
const transport = createUpstreamHttpTransport();
const sockets = new Set<Socket>();

/** An upstream that wants a client certificate when `asks`, and tells whose it saw. */
function tlsUpstream(asks: boolean): Server {
  const options = {
    key: readFileSync(at('host.key')),
    cert: readFileSync(at('host.crt')),
    ca: readFileSync(at('ca.crt')),
    requestCert: asks,
    rejectUnauthorized: asks,
  };
  return createTlsServer(options, (socket: TLSSocket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const name = asks ? socket.getPeerCertificate().subject.CN : 'nobody';
      const body = `hello ${name}`;
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
    });
  });
}

/** A proxy that tunnels, writes down what it was asked, and refuses with `status` when that is set. */
const asked: string[] = [];
let status = 200;
const proxy = createServer((client) => {
  sockets.add(client);
  client.on('error', () => undefined);
  client.once('data', (head) => {
    const text = head.toString('latin1');
    asked.push(text);
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = (/^CONNECT (\S+):(\d+) /.exec(text) ?? []).slice(1);
    const upstream = connect(Number(port), host, () => {
      // In two pieces: the end of a head may come later than its status.
      client.write('HTTP/1.1 200 Connection established\r\nvia: test');
      setImmediate(() => client.write('\r\n\r\n'));
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
  });
});

const ports: Record<string, number> = {};
const servers: Record<string, Server> = {};

before(async () => {
  const authority = createCertificateAuthority('Private');
  writeFileSync(at('ca.crt'), authority.cert);
  for (const name of ['host', 'floe']) {
    const { cert, key } = issueCertificate(name, authority);
    writeFileSync(at(`${name}.crt`), cert);
    writeFileSync(at(`${name}.key`), key);
  }
  const plain = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nplain'),
    );
  });
  Object.assign(servers, { tls: tlsUpstream(false), mutual: tlsUpstream(true), proxy, plain });
  for (const [name, server] of Object.entries(servers)) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    ports[name] = address.port;
  }
});
after(async () => {
  await transport.close();
  for (const socket of sockets) socket.destroy();
  for (const server of Object.values(servers)) server.close();
  rmSync(folder, { recursive: true });
});

const tls = () => `https://127.0.0.1:${ports['tls']}`;
const proxyUrl = (user = '') => `http://${user}127.0.0.1:${ports['proxy']}`;

async function get(
  origin: string,
  settings: Partial<OutboundConnectionSettings>,
  environment: Record<string, string> = {},
) {
  const ways = resolveOutboundConnections([{ ...NOTHING, ...settings }], (name) => environment[name]);
  const request = {
    method: 'GET',
    origin,
    path: '/',
    headers: [],
    body: null,
    connectMs: 2_000,
    via: ways.via(origin),
  } as const;
  const answer = await sendBufferedRequest(transport, new FakeClock(), request, {
    timeoutMs: 60_000,
    maxBytes: 1_000,
  });
  return answer.body.toString('utf8');
}

test('a certificate of a private authority is accepted with `ca_file`, and not without', async () => {
  await assert.rejects(get(tls(), {}), /certificate/);
  assert.equal(await get(tls(), { ca_file: at('ca.crt') }), 'hello nobody');
});

test('a host that requests a client certificate receives it, if one is configured', async () => {
  const origin = `https://127.0.0.1:${ports['mutual']}`;
  const ca_file = at('ca.crt');
  const client_cert = { cert_file: at('floe.crt'), key_file: at('floe.key') };
  assert.equal(await get(origin, { ca_file, client_cert }), 'hello floe');
  await assert.rejects(get(origin, { ca_file }));
});

test('with a proxy, a tunnel is used, and the certificate of the host is still verified', async () => {
  const settings = { ca_file: at('ca.crt'), proxy: proxyUrl('user:p%40ss@') };
  assert.equal(await get(tls(), settings), 'hello nobody');
  const [head = ''] = asked.splice(0);
  assert.match(head, new RegExp(`^CONNECT 127\\.0\\.0\\.1:${ports['tls']} HTTP/1\\.1\r\n`));
  assert.match(
    head,
    new RegExp(`Proxy-Authorization: Basic ${Buffer.from('user:p@ss').toString('base64')}\r\n`),
  );
  await assert.rejects(get(tls(), { proxy: proxyUrl() }), /certificate/);
  asked.splice(0);
});

test('`outbound.proxy` also applies to plain HTTP, and `HTTPS_PROXY` to HTTPS only', async () => {
  const plain = `http://127.0.0.1:${ports['plain']}`;
  assert.equal(await get(plain, { proxy: proxyUrl() }), 'plain');
  assert.equal(asked.splice(0).length, 1);
  assert.equal(await get(plain, {}, { HTTPS_PROXY: proxyUrl() }), 'plain');
  assert.equal(asked.length, 0);
  assert.equal(await get(tls(), { ca_file: at('ca.crt') }, { https_proxy: proxyUrl() }), 'hello nobody');
  assert.equal(asked.splice(0).length, 1);
});

test('hosts in `no_proxy` are reached directly: names with subdomains, ports, and `*`', () => {
  const through = (no_proxy: string, origin: string, environment: Record<string, string> = {}) =>
    resolveOutboundConnections(
      [{ ...NOTHING, proxy: 'http://proxy.test:1', no_proxy }],
      (name) => environment[name],
    ).via(origin)?.proxy?.href;
  const host = 'https://api.corp.test';
  for (const list of [
    'corp.test',
    '.corp.test',
    '*.corp.test',
    'other, API.corp.test',
    'api.corp.test:443',
    '*',
  ])
    assert.equal(through(list, host), undefined, list);
  for (const list of ['orp.test', 'api.corp.test:8443', 'test.corp', ''])
    assert.equal(through(list, host), 'http://proxy.test:1/', list);
  assert.equal(through('', host, { NO_PROXY: 'corp.test' }), undefined);
  assert.equal(through('elsewhere', host, { NO_PROXY: 'corp.test' }), 'http://proxy.test:1/');
});

test('`no_proxy` accepts addresses and networks of IPv4 and IPv6', () => {
  const isDirect = (no_proxy: string, origin: string) =>
    resolveOutboundConnections([{ ...NOTHING, proxy: 'http://proxy.test:1', no_proxy }], () => undefined).via(
      origin,
    ) === undefined;
  for (const [list, origin] of [
    ['10.0.0.0/8', 'http://10.1.2.3'],
    ['::1', 'http://[::1]:80'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['2001:DB8:0::1', 'https://[2001:db8::1]'],
    ['fd00::/8', 'https://[fd12::5]'],
    ['127.0.0.1', 'http://0x7f.1'],
    ['corp.test.', 'https://api.corp.test.'],
  ] as const)
    assert.ok(isDirect(list, origin), `${list} ${origin}`);
  for (const [list, origin] of [
    ['10.0.0.0/8', 'http://11.0.0.1'],
    ['10.0.0.0/8', 'http://10.0.0.1.example'],
    ['[::1]:8080', 'http://[::1]:80'],
    ['10.0.0.0/99, nonsense/8, ,', 'http://10.0.0.1'],
    ['0.0.1', 'http://10.0.0.1'],
  ] as const)
    assert.ok(!isDirect(list, origin), `${list} ${origin}`);
});

test('an IPv6 address is reached directly and through a proxy', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nsix'),
    );
  });
  t.after(() => server.close());
  const isThere = await new Promise((resolve) => {
    server.on('error', () => resolve(false)).listen(0, '::1', () => resolve(true));
  });
  if (!isThere) return t.skip('this machine has no ::1');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const origin = `http://[::1]:${address.port}`;
  assert.equal(await get(origin, {}), 'six');
  // The proxy of this file connects to no address in brackets; what it was asked is right all the same.
  await assert.rejects(get(origin, { proxy: proxyUrl() }), /the proxy closed/);
  assert.match(asked.splice(0)[0] ?? '', new RegExp(`^CONNECT \\[::1\\]:${address.port} HTTP/1\\.1\r\n`));
});

test('a forbidden address is rejected before the proxy is called', async () => {
  const port = Number(ports['proxy']);
  const named = new Set([`127.0.0.1:${port}`]);
  const guarded = createUpstreamHttpTransport(
    createOutboundGuard(() => ({ allowPrivate: false, privateNetworks: [], namedHosts: () => named })),
  );
  const { via } = resolveOutboundConnections([{ ...NOTHING, proxy: proxyUrl() }], () => undefined);
  const ask = (origin: string) => {
    const request = { method: 'GET', origin, path: '/', headers: [], body: null, connectMs: 2_000 };
    const limits = { timeoutMs: 60_000, maxBytes: 1_000 };
    return sendBufferedRequest(guarded, new FakeClock(), { ...request, via: via(origin) }, limits);
  };
  for (const host of ['169.254.169.254', '127.0.0.1:1', '[::1]', 'metadata.google.internal', '0x0a.1'])
    await assert.rejects(ask(`http://${host}`), { name: 'OutboundBlockedError' }, host);
  assert.deepEqual(asked, []);
  // A name is the proxy's to resolve and to judge.
  await assert.rejects(ask('http://nobody.invalid'), /the proxy closed/);
  assert.equal(asked.splice(0).length, 1);
  await guarded.close();
});

test('a provider reaches only the private addresses that the file contains for its organization', async () => {
  const port = Number(ports['proxy']);
  const named = new Set([`127.0.0.1:${port}`]);
  const namedHosts = (orgId: string | null) => (orgId === 'acme' ? named : new Set<string>());
  const guarded = createUpstreamHttpTransport(
    createOutboundGuard(() => ({ allowPrivate: false, privateNetworks: [], namedHosts })),
  );
  const { via } = resolveOutboundConnections([{ ...NOTHING, proxy: proxyUrl() }], () => undefined);
  const ask = (orgId: string | undefined) => {
    const origin = 'http://nobody.invalid';
    const request = { method: 'GET', origin, path: '/', headers: [], body: null, connectMs: 2_000, orgId };
    const limits = { timeoutMs: 60_000, maxBytes: 1_000 };
    return sendBufferedRequest(guarded, new FakeClock(), { ...request, via: via(origin) }, limits);
  };
  await assert.rejects(ask('acme'), /the proxy closed/);
  assert.equal(asked.splice(0).length, 1);
  for (const other of ['globex', undefined])
    await assert.rejects(ask(other), { name: 'OutboundBlockedError' });
  assert.deepEqual(asked, []);
  await guarded.close();
});

test('a proxy that rejects the request or is unavailable causes an error that says so', async () => {
  status = 407;
  await assert.rejects(get(tls(), { proxy: proxyUrl() }), /the proxy responded to CONNECT with 407/);
  status = 200;
  asked.splice(0);
  await assert.rejects(get('https://127.0.0.1:1', { proxy: proxyUrl() }), /the proxy closed/);
  await assert.rejects(get(tls(), { proxy: 'http://127.0.0.1:1' }), /ECONNREFUSED/);
});

test('settings of a provider override those of the file one by one', () => {
  const own = { ...NOTHING, proxy: 'http://own.test:1' };
  const file = { ...NOTHING, proxy: 'http://file.test:1', no_proxy: 'direct.test' };
  const ways = resolveOutboundConnections([own, file], () => undefined);
  assert.equal(ways.via('https://a.test')?.proxy?.host, 'own.test:1');
  assert.equal(ways.via('https://direct.test'), undefined);
});

test('the default configuration adds no work, and a missing file is named', () => {
  assert.equal(resolveOutboundConnections([NOTHING], () => undefined).via('https://a.test'), undefined);
  const absent = () =>
    resolveOutboundConnections([{ ...NOTHING, ca_file: at('absent.pem') }], () => undefined);
  assert.throws(
    absent,
    (error) => error instanceof OutboundConfigError && /ca_file: .*absent\.pem/.test(error.message),
  );
});
