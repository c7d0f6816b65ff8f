import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { silentLog } from '../core/log.ts';
import { createMemberDependencies } from './member-dependencies.ts';
import { createOutboundAccess } from './outbound-access.ts';

test('invitations are sent with the certificate authorities of `outbound`', async (t) => {
  const server = createServer((socket) => socket.end('554 no service\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const text = JSON.stringify({
    smtp: { url: `smtp://127.0.0.1:${address.port}`, from: 'floe@example.com', require_tls: false },
  });
  const { config } = loadConfig({ text, env: readEnvironment({}) });
  const asked: string[] = [];
  const outbound = {
    ...createOutboundAccess(config, () => undefined),
    via(origin: string) {
      asked.push(origin);
      return undefined;
    },
  };
  const { sendMail } = createMemberDependencies(
    { log: silentLog, outbound },
    () => config,
    () => '',
  );
  await sendMail({ to: 'ada@example.com', subject: 's', text: 't', id: 'm' });
  assert.deepEqual(asked, [`https://127.0.0.1:${address.port}`]);
});
