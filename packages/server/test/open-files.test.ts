// Tier: ci. Opens more than a hundred connections to a server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const LIMIT = 160;
/** Starts the server with an open file limit, and passes on the signal that ends it. */
const PROGRAM = `import { spawn } from 'node:child_process';
const [server] = process.argv.slice(2);
const command = 'ulimit -n ${LIMIT} && exec "$0" "$1"';
const child = spawn('/bin/sh', ['-c', command, process.execPath, server], { stdio: 'inherit' });
process.on('SIGTERM', () => child.kill());
child.on('exit', (code) => process.exit(code ?? 1));
`;

/** Opens a connection that sends nothing. */
async function open(url: string, opened: Socket[]): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  opened.push(socket.on('error', () => undefined));
  await once(socket, 'connect');
}

test('near the open file limit, new connections serve only health checks and sign-in', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-files-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const program = join(home, 'limited.mjs');
  writeFileSync(program, PROGRAM);
  const yaml = JSON.stringify(buildGatewayConfig('http://127.0.0.1:1'));
  const floe = await startFloeProcess({ yaml, program, args: [SERVER_PROGRAM] });
  t.after(() => floe.stop());
  const headers = { authorization: `Bearer ${GATEWAY_KEYS.full}` };
  const body = buildChatBody({ model: 'sandbox/echo' });
  const ask = () => callHttp(floe.url + CHAT_COMPLETIONS_PATH, { headers, body });
  assert.equal((await ask()).status, 200);
  const opened: Socket[] = [];
  t.after(() => {
    for (const socket of opened) socket.destroy();
  });
  for (let n = 0; n < 2 * LIMIT; n++) await open(floe.url, opened);
  await floe.waitForOutput(/almost reached its open file limit.*LimitNOFILE/);
  const { status, text } = await ask();
  assert.deepEqual([status, /"code":"overloaded"/.test(text)], [503, true]);
  for (const path of ['/healthz', '/readyz', '/readyz?for=api'])
    assert.equal((await callHttp(floe.url + path)).status, 200, path);
  const signIn = await callHttp(`${floe.url}/api/session`, {
    body: { email: 'a@example.com', password: 'x' },
  });
  assert.equal(signIn.status < 500, true, signIn.text);
  for (const socket of opened) socket.destroy();
  await eventually(async () => (await ask()).status === 200 || undefined);
  assert.match(floe.output(), /process accepts requests on new connections again/);
});
