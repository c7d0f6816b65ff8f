// Two processes behind nginx are restarted in turn under load: no request fails.
// Tier: ci. Needs nginx; `npm run test:browser` installs it where apt can.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { findFreePort, NGINX_MISSING, startNginx } from './nginx-balancer.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const RESTARTS = process.env['FLOE_TEST_FULL'] === undefined ? 3 : 10;
const CLIENTS = 16;

test('rolling restarts behind nginx: no request fails', {
  skip: NGINX_MISSING,
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
  const ports = [await findFreePort(), await findFreePort()] as const;
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
