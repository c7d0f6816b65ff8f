import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** nginx as docs/network.md sets it up: one path of a host belongs to Floe, everything else to somebody else. */

export interface ReverseProxy {
  /** `http://127.0.0.1:<port>`, without the path. */
  readonly origin: string;
  /** Passes what lies below the path on to this server. */
  leadTo(url: string): Promise<void>;
  close(): Promise<void>;
}

const PROGRAMS = [
  process.env['FLOE_NGINX'] ?? '',
  '/usr/sbin/nginx',
  '/usr/bin/nginx',
  '/usr/local/bin/nginx',
];

/** @param prefix what is Floe's, such as `/floe` */
export async function reverseProxy(prefix: string): Promise<ReverseProxy> {
  const program = PROGRAMS.find((path) => path !== '' && existsSync(path));
  if (!program)
    throw new Error(
      'No nginx was found. Install it (Debian: apt-get install nginx-light) or set FLOE_NGINX to its path.',
    );
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), 'floe-nginx-'));
  let child: ChildProcess | null = null;
  const stop = () => child?.kill('SIGKILL');
  process.on('exit', stop);
  return {
    origin: `http://127.0.0.1:${port}`,
    async leadTo(url) {
      const file = join(home, 'nginx.conf');
      writeFileSync(file, configOf({ home, port, prefix, url }));
      child = spawn(program, ['-p', home, '-c', file, '-e', 'stderr'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      await listens(
        port,
        () => child?.exitCode ?? null,
        () => said,
      );
    },
    async close() {
      process.off('exit', stop);
      if (child && child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGQUIT');
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function configOf(of: {
  readonly home: string;
  readonly port: number;
  readonly prefix: string;
  readonly url: string;
}) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${of.home}/${kind};`,
  );
  return `daemon off;
worker_processes 1;
pid ${of.home}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
${temporary.join('\n')}
  server {
    listen 127.0.0.1:${of.port};
    location ${of.prefix}/ {
      proxy_pass ${of.url};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_buffering off;
      proxy_read_timeout 3600s;
    }
    location / { return 421 "not Floe's"; }
  }
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('No port is free.');
  return address.port;
}

async function listens(port: number, ended: () => number | null, said: () => string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (ended() !== null) throw new Error(`nginx ended: ${said()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    if (answer?.status === 421) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nginx does not listen: ${said()}`);
}
