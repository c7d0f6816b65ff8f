// Two processes behind nginx are restarted in turn under load: no request fails.
// Tier: ci. Needs nginx; `npm run test:browser` installs it where apt can.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const NGINX = [
  process.env['FLOE_NGINX'] ?? '',
  '/usr/sbin/nginx',
  '/usr/bin/nginx',
  '/usr/local/bin/nginx',
].find((path) => path !== '' && existsSync(path));
const RESTARTS = process.env['FLOE_TEST_FULL'] === undefined ? 3 : 10;
const CLIENTS = 16;

test('rolling restarts behind nginx: no request fails', {
  skip: NGINX === undefined && 'nginx is not installed (Debian: apt-get install nginx-light)',
}, async (t) => {
  const event = (content: string, finish: string | null) => ({
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  });
  const stream = createSseReply([
    event('one', null),
    event('two', null),
    event('', 'stop'),
    'data: [DONE]\n\n',
  ]);
  const upstream = await startFakeUpstream({
    respond: ({ method }) => (method === 'GET' ? { body: '{"data":[]}' } : stream),
  });
  t.after(() => upstream.close());
  const ports = [await freePort(), await freePort()] as const;
  const yaml = JSON.stringify(buildGatewayConfig(upstream.url));
  const start = (port: number) => startFloeProcess({ port, yaml, env: { FLOE_SHUTDOWN_DELAY_MS: '1000' } });
  const floes: FloeProcess[] = [];
  for (const port of ports) floes.push(await start(port));
  const origin = await startNginx(t, ports);

  const counts = { sent: 0, streams: 0 };
  const failures: string[] = [];
  let isOver = false;
  const client = async (n: number) => {
    while (!isOver) {
      counts.sent += 1;
      const isStream = counts.sent % 4 === 0;
      if (isStream) counts.streams += 1;
      const answer = await callHttp(origin + CHAT_COMPLETIONS_PATH, {
        headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` },
        body: buildChatBody(isStream ? { stream: true } : { model: 'sandbox/echo' }),
      }).catch((error: unknown) => ({ status: 0, text: String(error), isComplete: false }));
      const isWhole = answer.isComplete && (!isStream || answer.text.endsWith('data: [DONE]\n\n'));
      if (answer.status !== 200 || !isWhole)
        failures.push(`client ${n}: ${answer.status} ${answer.text.slice(0, 200)}`);
      await delay(20);
    }
  };
  const load = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
  for (let round = 0; round < RESTARTS; round += 1)
    for (const [index, port] of ports.entries()) {
      await floes[index]?.stop();
      floes[index] = await start(port);
      // Until nginx uses it again.
      await delay(2_500);
    }
  isOver = true;
  await load;
  await Promise.all(floes.map((floe) => floe.stop()));
  t.diagnostic(
    `${RESTARTS * 2} restarts: ${counts.sent} requests, ${counts.streams} of them streams, ${failures.length} failed`,
  );
  assert.deepEqual(failures, []);
  assert.ok(counts.sent > 500);
});

/** nginx as docs/guides/run-several-processes.md sets it up. */
async function startNginx(t: TestContext, ports: readonly number[]): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'floe-rolling-'));
  const port = await freePort();
  const file = join(home, 'nginx.conf');
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=2s;`).join(' ');
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
