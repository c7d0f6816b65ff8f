// A network as companies have it: hosts of a private authority that no resolver knows, behind a proxy that tunnels.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCertificateAuthority,
  issueCertificate,
  type TestCertificate,
} from '@floe/testkit/certificate';

export interface CorporateNetwork {
  /** PEM file of the authority. */
  readonly caFile: string;
  readonly ca: string;
  /** `http://127.0.0.1:<port>` */
  readonly proxyUrl: string;
  /** `host:port` of what the proxy was asked for, in order. */
  readonly tunnels: string[];
  certificate(host: string): TestCertificate;
  /** Lets the proxy lead to `port` who asks for `host`; the first one takes those who ask for anybody else. */
  routeHost(host: string, port: number): void;
  /** A listener of this network, on loopback; its port. */
  listen(server: Server): Promise<number>;
  close(): void;
}

export async function startCorporateNetwork(): Promise<CorporateNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'floe-corporate-'));
  const caFile = join(folder, 'ca.pem');
  const authority = createCertificateAuthority('Corporate');
  writeFileSync(caFile, authority.cert);
  const tunnels: string[] = [];
  const places = new Map<string, number>();
  const sockets = new Set<Socket>();
  const servers: Server[] = [];

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  const proxy = createServer((client) => {
    client.once('data', (head) => {
      const [, asked = ''] = /^CONNECT (\S+) /.exec(head.toString('latin1')) ?? [];
      tunnels.push(asked);
      const port = places.get(asked.replace(/:\d+$/, '')) ?? [...places.values()][0];
      if (port === undefined) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      const host = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(host).pipe(client);
      });
      host.on('error', () => client.destroy());
      client.on('close', () => host.destroy());
    });
  });
  const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
  return {
    caFile,
    ca: authority.cert,
    proxyUrl,
    tunnels,
    certificate: (host) => issueCertificate(host, authority),
    routeHost: (host, port) => void places.set(host, port),
    listen,
    close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
