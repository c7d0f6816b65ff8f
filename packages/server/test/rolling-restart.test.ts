// Two processes behind nginx are restarted in turn under load: no request fails.
// Tier: ci. Needs nginx; `npm run test:browser` installs it where apt can.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { findFreePort, NGINX_MISSING, startNginx } from './nginx-balancer.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const IS_FULL = process.env['FLOE_TEST_FULL'] !== undefined;
const RESTARTS_EACH = IS_FULL ? 10 : 3;
const LONGEST_STREAM_S = IS_FULL ? 60 : 3;
const CLIENTS = 16;
const STREAM_CLIENTS = 40;

/** Starts an upstream whose streams have one event per second, as many as `max_tokens` of the request. */
async function startSlowUpstream(t: TestContext): Promise<string> {
  const server = createServer(async (request, response) => {
    const { max_tokens: seconds = 0 } = JSON.parse((await text(request)) || '{}');
    const send = (content: string, finish: string | null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`,
      );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send('begin', null);
    for (let at = 0; at < seconds; at += 1) {
      await delay(1000);
      send(` ${at}`, null);
    }
    send('', 'stop');
    response.end('data: [DONE]\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

test('rolling restarts behind nginx: no request fails', { skip: NGINX_MISSING }, async (t) => {
  const ports = [await findFreePort(), await findFreePort()] as const;
  const yaml = JSON.stringify(buildGatewayConfig(await startSlowUpstream(t)));
  const env = { FLOE_SHUTDOWN_DELAY_MS: IS_FULL ? '5000' : '1000', FLOE_DRAIN_TIMEOUT_MS: '900000' };
  const start = (port: number) => startFloeProcess({ port, yaml, env });
  const floes: FloeProcess[] = [];
  for (const port of ports) floes.push(await start(port));
  const origin = await startNginx(t, ports);

  const counts = { sent: 0, streams: 0 };
  const failures: string[] = [];
  let isOver = false;
  const send = async (stream: object | null, isWhole: (body: string) => boolean) => {
    counts.sent += 1;
    if (stream !== null) counts.streams += 1;
    const answer = await callHttp(origin + CHAT_COMPLETIONS_PATH, {
      headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` },
      body: buildChatBody(stream === null ? { model: 'sandbox/echo' } : { stream: true, ...stream }),
    }).catch((error: unknown) => ({ status: 0, text: String(error), isComplete: false }));
    if (answer.status !== 200 || !answer.isComplete || !isWhole(answer.text))
      failures.push(`${answer.status} ${answer.text.slice(-200)}`);
  };
  const client = async () => {
    while (!isOver) {
      await send(null, (body) => body.includes('"content":"Hello"'));
      await delay(60);
    }
  };
  const streamClient = async (n: number) => {
    for (let at = 0; !isOver; at += 1) {
      const seconds = 1 + ((n * 7 + at * 13) % LONGEST_STREAM_S);
      await send(
        { max_tokens: seconds },
        (body) => body.endsWith('data: [DONE]\n\n') && body.includes(`" ${seconds - 1}"`),
      );
    }
  };
  const load = Promise.all([
    ...Array.from({ length: CLIENTS }, client),
    ...Array.from({ length: STREAM_CLIENTS }, (_, n) => streamClient(n)),
  ]);
  for (let round = 0; round < RESTARTS_EACH; round += 1)
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
    `${RESTARTS_EACH * 2} restarts: ${counts.sent} requests, ${counts.streams} streams of up to ${LONGEST_STREAM_S} s, ${failures.length} failed`,
  );
  assert.deepEqual(failures, []);
  assert.ok(counts.sent > 500);
});
