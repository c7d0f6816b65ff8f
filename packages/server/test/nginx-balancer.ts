// nginx in front of several processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';

const NGINX = [
  process.env['FLOE_NGINX'] ?? '',
  '/usr/sbin/nginx',
  '/usr/bin/nginx',
  '/usr/local/bin/nginx',
].find((path) => path !== '' && existsSync(path));

/** The reason for a skipped test, or false if nginx is installed. */
export const NGINX_MISSING =
  NGINX === undefined && 'nginx is not installed (Debian: apt-get install nginx-light)';

/** Starts nginx as docs/guides/run-several-processes.md configures it, and returns its URL. */
export async function startNginx(t: TestContext, ports: readonly number[]): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'floe-rolling-'));
  const port = await findFreePort();
  const file = join(home, 'nginx.conf');
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(' ');
  writeFileSync(
    file,
    `daemon off; pid ${home}/nginx.pid; error_log stderr crit; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
  upstream floe { ${servers} keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://floe;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_connect_timeout 2s;
      proxy_next_upstream error timeout http_503 non_idempotent;
      proxy_read_timeout 3600s;
    }
  }
}
`,
  );
  const child = spawn(NGINX ?? '', ['-p', home, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(
    async () => (await callHttp(`${origin}/healthz`).catch(() => null))?.status === 200 || undefined,
  );
  return origin;
}

/** Returns a port on 127.0.0.1 that is free now. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
