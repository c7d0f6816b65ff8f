// Tier: ci. Opens more than a hundred connections to a server.
import assert from 'node:assert/strict';
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
/** Starts the server with a limit of open files, and passes on the signal that ends it. */
const PROGRAM = `import { spawn } from 'node:child_process';
const [server] = process.argv.slice(2);
const command = 'ulimit -n ${LIMIT} && exec "$0" "$1"';
const child = spawn('/bin/sh', ['-c', command, process.execPath, server], { stdio: 'inherit' });
process.on('SIGTERM', () => child.kill());
child.on('exit', (code) => process.exit(code ?? 1));
`;

/** Opens a connection. Resolves to what the server sends before it closes the connection; null if it keeps it open. */
function open(url: string, opened: Socket[]): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => setTimeout(resolve, 20, null));
    opened.push(socket);
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined).on('end', () => resolve(text));
  });
}

test('near the limit of open files, new connections get 503, and the log states the remedy', {
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
  let rejection: string | null = null;
  for (let n = 0; n < 2 * LIMIT && rejection === null; n++) rejection = await open(floe.url, opened);
  assert.match(rejection ?? '', /^HTTP\/1\.1 503 [\s\S]*"code":"overloaded"/);
  await floe.waitForOutput(/almost reached its limit of open files.*LimitNOFILE/);
  assert.equal((await ask()).status, 503);
  for (const socket of opened) socket.destroy();
  await eventually(async () => (await ask()).status === 200 || undefined);
  assert.match(floe.output(), /process accepts connections again/);
});
