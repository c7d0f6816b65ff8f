import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@floe/testkit/eventually';

/** nginx as docs/guides/put-floe-behind-a-proxy.md sets it up: one path of a host belongs to Floe, everything else to somebody else. */

export interface ReverseProxy {
  /** `http://127.0.0.1:<port>`, without the path. */
  readonly origin: string;
  /** Passes what lies below the path on to this server. */
  routeTo(url: string): Promise<void>;
  close(): Promise<void>;
}

const PROGRAMS = [
  process.env['FLOE_NGINX'] ?? '',
  '/usr/sbin/nginx',
  '/usr/bin/nginx',
  '/usr/local/bin/nginx',
];

/** Listens from now on: nobody else can take its port until what it leads to is there. @param prefix what is Floe's, such as `/floe` */
export async function startReverseProxy(prefix: string): Promise<ReverseProxy> {
  const program = PROGRAMS.find((path) => path !== '' && existsSync(path));
  if (!program)
    throw new Error(
      'No nginx was found. Install it (Debian: apt-get install nginx-light) or set FLOE_NGINX to its path.',
    );
  const home = mkdtempSync(join(tmpdir(), 'floe-nginx-'));
  const file = join(home, 'nginx.conf');
  const { child, port } = await startNginx(program, home, file, prefix);
  const stop = () => child.kill('SIGKILL');
  process.on('exit', stop);
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    async routeTo(url) {
      writeFileSync(file, configOf({ home, port, prefix, url }));
      child.kill('SIGHUP');
      await eventually(
        async () => ![null, 421, 502].includes(await statusOf(`${origin}${prefix}/`)) || undefined,
      );
    },
    async close() {
      process.off('exit', stop);
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Starts it on a free port: on another one when somebody was quicker. */
async function startNginx(
  program: string,
  home: string,
  file: string,
  prefix: string,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  let said = '';
  for (let tries = 0; tries < 5; tries += 1) {
    const port = await freePort();
    writeFileSync(file, configOf({ home, port, prefix, url: null }));
    const child = spawn(program, ['-p', home, '-c', file, '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const listens = await eventually(async () => {
      if (child.exitCode !== null) return 'ended';
      return (await statusOf(`http://127.0.0.1:${port}/`)) === 421 ? 'listens' : undefined;
    });
    if (listens === 'listens') return { child, port };
  }
  throw new Error(`nginx does not listen: ${said}`);
}

async function statusOf(url: string): Promise<number | null> {
  return fetch(url).then(
    ({ status }) => status,
    () => null,
  );
}

function configOf(of: {
  readonly home: string;
  readonly port: number;
  readonly prefix: string;
  /** Null while nobody is there. */
  readonly url: string | null;
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
${of.url === null ? '' : locationOf(of.prefix, of.url)}
    location / { return 421 "not Floe's"; }
  }
}
`;
}

function locationOf(prefix: string, url: string): string {
  return `    location ${prefix}/ {
      proxy_pass ${url};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_buffering off;
      proxy_read_timeout 3600s;
    }`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('No port is free.');
  return address.port;
}
