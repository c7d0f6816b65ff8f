// Tier: ci. Waits for deliveries over every kind of channel.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ChannelSchema } from '@floe/contract/config/monitoring';
import { type AlertMessage, createAlertMessage, createTestAlertMessage } from './alert-message.ts';
import { sendTestAlertMessage } from './send-test-alert-message.ts';
import { createFailingAlert, createRecoveredAlert, createTestOutbox } from './test/test-outbox.ts';
import {
  type MessageResponder,
  type ReceivedMessage,
  startWebhookReceiver,
} from './test/webhook-receiver.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 1);
/** A name that tries every markup at once. */
const HOSTILE = '<!channel> *x* [a](http://evil) @everyone & "q"\r\nBcc: x@evil.example';

function notices(): { readonly begun: AlertMessage; readonly over: AlertMessage } {
  const told = { thread: 'dlv_1', repetition: 0, failureCount: 1 };
  const begun = { ...told, id: 'dlv_1', phase: 'opens' as const };
  const over = { ...told, id: 'dlv_2', phase: 'closes' as const };
  return {
    begun: createAlertMessage(
      { ...begun, alerts: [createFailingAlert('nightly', { name: HOSTILE })] },
      'https://floe.example',
      NOW,
    ),
    over: createAlertMessage(
      { ...over, alerts: [createRecoveredAlert('nightly')] },
      'https://floe.example',
      NOW,
    ),
  };
}

/** Sends both notices to a channel of this configuration; what the receiver got, and the outcomes. */
async function sendBoth(t: TestContext, configOf: (url: string) => object, respond: MessageResponder) {
  const { sender } = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, respond);
  const config = ChannelSchema.parse({ name: 'ops', ...configOf(receiver.url) });
  const { begun, over } = notices();
  const outcomes = [];
  for (const notice of [begun, over]) outcomes.push(await sender.send(notice, opened(config)));
  const [first, second] = receiver.received;
  if (!first || !second) throw new Error('two messages were to come');
  return { outcomes, first, second };
}

const says = (status: number, body: string, type = 'application/json'): MessageResponder => {
  return (_, response) => void response.writeHead(status, { 'content-type': type }).end(body);
};
const accepted = [true, true];
const oks = (outcomes: readonly { readonly ok: boolean }[]) => outcomes.map(({ ok }) => ok);

function tells({ body }: ReceivedMessage, ...parts: readonly string[]): void {
  for (const part of parts) assert.ok(body.includes(part), `${part} in ${body}`);
}

const opened = (config: ReturnType<typeof ChannelSchema.parse>) => ({
  orgId: 'acme',
  config,
  signing: { previousSecret: null },
});

test('slack: the message is readable, and all markup is from Floe', async (t) => {
  const { outcomes, first, second } = await sendBoth(
    t,
    (url) => ({ kind: 'slack', url: `${url}/services/T/B/x` }),
    says(200, 'ok', 'text/plain'),
  );
  assert.deepEqual(oks(outcomes), accepted);
  assert.equal(first.path, '/services/T/B/x');
  tells(
    first,
    '&lt;!channel&gt;',
    'is failing',
    '2026-11-21 11:57:55 UTC (3 min 5 s)',
    'no heartbeat received',
  );
  tells(first, 'https://floe.example/o/acme/monitors/nightly');
  assert.ok(!first.body.includes('<!channel>'));
  tells(second, 'recovered', 'Downtime: 12 min 5 s');
});

test('discord: the message mentions no one', async (t) => {
  const { outcomes, first } = await sendBoth(t, (url) => ({ kind: 'discord', url }), says(204, ''));
  assert.deepEqual(oks(outcomes), accepted);
  assert.deepEqual(first.json['allowed_mentions'], { parse: [] });
  tells(first, '\\\\*x\\\\*', 'is failing');
});

test('teams: the message is an adaptive card, and an error with status 200 is an error', async (t) => {
  const card = await sendBoth(t, (url) => ({ kind: 'teams', url }), says(202, ''));
  assert.deepEqual(oks(card.outcomes), accepted);
  tells(card.first, 'application/vnd.microsoft.card.adaptive', '"AdaptiveCard"', 'is failing');
  const failed = await sendBoth(
    t,
    (url) => ({ kind: 'teams', url }),
    says(200, 'Webhook message delivery failed with error: 429', 'text/plain'),
  );
  assert.deepEqual(oks(failed.outcomes), [false, false]);
});

test('pagerduty: trigger and resolve have the same key', async (t) => {
  const { outcomes, first, second } = await sendBoth(
    t,
    (base_url) => ({ kind: 'pagerduty', routing_key: 'R0UT1NG', base_url }),
    says(202, '{"status":"success","message":"Event processed"}'),
  );
  assert.deepEqual(oks(outcomes), accepted);
  assert.equal(first.path, '/v2/enqueue');
  const shown = ({ json }: ReceivedMessage) => [json['event_action'], json['dedup_key'], json['routing_key']];
  assert.deepEqual(shown(first), ['trigger', 'dlv_1', 'R0UT1NG']);
  assert.deepEqual(shown(second), ['resolve', 'dlv_1', 'R0UT1NG']);
  tells(first, '"severity":"critical"', '"client_url":"https://floe.example/o/acme/monitors/nightly"');
});

test('ntfy: title and link are headers, and the token is a bearer token', async (t) => {
  const { outcomes, first } = await sendBoth(
    t,
    (url) => ({ kind: 'ntfy', url: `${url}/ops`, token: 'tk_1' }),
    says(200, '{"id":"x","event":"message"}'),
  );
  assert.deepEqual(oks(outcomes), accepted);
  assert.deepEqual([first.path, first.headers.authorization], ['/ops', 'Bearer tk_1']);
  assert.equal(first.headers['click'], 'https://floe.example/o/acme/monitors/nightly');
  assert.match(String(first.headers['title']), /is failing$/);
  tells(first, 'Error: no heartbeat received');
});

test('ntfy: a message has at most 4,096 bytes, in any script', async (t) => {
  const { sender } = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, says(200, '{"id":"x","event":"message"}'));
  const config = ChannelSchema.parse({ name: 'ops', kind: 'ntfy', url: receiver.url });
  for (const name of ['夜'.repeat(200), 'a'.repeat(200), '🔥é'.repeat(60)]) {
    const [first, ...others] = Array.from({ length: 30 }, (_, index) =>
      createFailingAlert(`m${index}`, { name: `${index}${name}` }),
    );
    assert.ok(first);
    const content = { id: 'dlv_1', thread: 'dlv_1', phase: 'opens', repetition: 0, failureCount: 1 } as const;
    const notice = createAlertMessage(
      { ...content, alerts: [first, ...others] },
      'https://floe.example',
      NOW,
    );
    assert.equal((await sender.send(notice, opened(config))).ok, true);
  }
  for (const { body } of receiver.received) {
    const bytes = Buffer.byteLength(body);
    assert.ok(bytes <= 4_096 && bytes > 3_900, `${bytes} bytes`);
    assert.ok(!body.includes('\ufffd'));
    assert.ok(body.endsWith('…\nhttps://floe.example/o/acme/alerts'));
  }
});

test('telegram: the message is plain text in the chat of the bot', async (t) => {
  const { outcomes, first } = await sendBoth(
    t,
    (base_url) => ({ kind: 'telegram', bot_token: '1:abc', chat_id: '-100', base_url }),
    says(200, '{"ok":true,"result":{}}'),
  );
  assert.deepEqual(oks(outcomes), accepted);
  assert.equal(first.path, '/bot1:abc/sendMessage');
  assert.deepEqual([first.json['chat_id'], first.json['parse_mode']], ['-100', undefined]);
});

test('a chat service that responds with 200 and HTML has not accepted the message', async (t) => {
  for (const kind of ['slack', 'discord', 'teams', 'ntfy'] as const) {
    const { outcomes } = await sendBoth(
      t,
      (url) => ({ kind, url }),
      says(200, '<html><title>Sign in</title></html>', 'text/html'),
    );
    assert.deepEqual(oks(outcomes), [false, false], kind);
  }
});

test('hostile receivers: redirects, resets and slow responses are failures that reveal no secret', async (t) => {
  const { sender, clock } = await createTestOutbox(t);
  const elsewhere = await startWebhookReceiver(t);
  const answers: Readonly<Record<string, MessageResponder>> = {
    redirect: (_, response) => void response.writeHead(307, { location: elsewhere.url }).end(),
    reset: (_, response) => void response.socket?.destroy(),
    'half a head': (_, response) => void response.socket?.end('HTTP/1.1 200 OK\r\nContent-Le'),
    'no HTTP': (_, response) => void response.socket?.end('220 mail.example ESMTP\r\n'),
    'a huge head': (_, response) =>
      void response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(99_999)}\r\n\r\n`),
  };
  for (const [name, respond] of Object.entries(answers)) {
    const receiver = await startWebhookReceiver(t, respond);
    const config = ChannelSchema.parse({ name: 'ops', kind: 'webhook', url: `${receiver.url}/T0PSECRET` });
    const outcome = await sender.send(notices().begun, opened(config));
    assert.equal(outcome.ok, false, name);
    assert.ok(!/T0PSECRET|undefined/.test(JSON.stringify(outcome)), name);
  }
  assert.equal(elsewhere.received.length, 0, 'a redirect was followed');
  // A byte now and then: the deadline is for the whole answer.
  const trickle = await startWebhookReceiver(t, (_, response) => {
    response.writeHead(503, { 'content-length': '1000' });
    response.write('x');
  });
  const config = ChannelSchema.parse({ name: 'ops', kind: 'webhook', url: trickle.url });
  const sending = sender.send(notices().begun, opened(config));
  await trickle.count(1);
  clock.advance(15_000);
  assert.equal((await sending).ok, false);
});

test('a channel test returns its result without a stored alert', async (t) => {
  const { sender, clock } = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  const config = ChannelSchema.parse({ name: 'ops', kind: 'webhook', url: receiver.url, secret: 's' });
  const parts = { sender, clock, baseUrl: () => 'https://floe.example' };
  const open = { orgId: 'acme', config, signing: { previousSecret: 'older' } };
  assert.deepEqual(await sendTestAlertMessage(open, parts), {
    ok: true,
    status: 200,
    error: null,
    durationMs: 0,
  });
  assert.equal(receiver.received[0]?.json['type'], 'test');
  assert.equal(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length, 2);
  receiver.close();
  const failed = await sendTestAlertMessage(open, parts);
  assert.equal(failed.ok, false);
  assert.match(failed.error ?? '', /ECONNREFUSED/);
});

test('email: all recipients get one mail with a one-line subject, the idempotency key as its id, and threading', async (t) => {
  const server = await smtpServer(t);
  const harness = await createTestOutbox(t, {
    mail: { url: server.url, from: 'Floe <floe@acme.example>', requireTls: false },
  });
  const to = ['a@acme.example', 'b@acme.example'];
  const config = ChannelSchema.parse({ name: 'mail', kind: 'email', to });
  const { begun, over } = notices();
  for (const notice of [begun, over])
    assert.deepEqual(await harness.sender.send(notice, opened(config)), { ok: true, status: null });
  const [first = '', second = ''] = server.mails;
  assert.match(first, /^Message-ID: <dlv_1@acme\.example>$/im);
  assert.match(second, /^In-Reply-To: <dlv_1@acme\.example>$/im);
  assert.match(second, /^Subject: .*/m);
  assert.ok(!/^Bcc:/im.test(first), 'a name became a header');
  assert.deepEqual(server.recipients, [to, to]);
});

test('email: a message that the server accepts only for some recipients is sent, and the log names the others', async (t) => {
  const server = await smtpServer(t, '250 2.0.0 queued', 'gone@acme.example');
  const harness = await createTestOutbox(t, {
    mail: { url: server.url, from: 'floe@acme.example', requireTls: false },
  });
  await harness.channels({ name: 'mail', kind: 'email', to: ['a@acme.example', 'gone@acme.example'] });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.pass(delivery, 2_000);
  const [sent] = await harness.deliveries();
  assert.deepEqual(
    [sent?.state, sent?.error, server.recipients],
    ['sent', 'the mail server rejected these recipients: gone@acme.example', [['a@acme.example']]],
  );
});

test('email: a rejection by the server is a failure with its message; without smtp.url, the channel reports the reason', async (t) => {
  const server = await smtpServer(t, '554 5.7.1 no');
  const config = ChannelSchema.parse({ name: 'mail', kind: 'email', to: ['a@acme.example'] });
  const open = opened(config);
  const notice = createTestAlertMessage(
    'dlv_9',
    { orgId: 'acme', name: 'mail' },
    'https://floe.example',
    NOW,
  );
  const refused = await createTestOutbox(t, {
    mail: { url: server.url, from: 'floe@acme.example', requireTls: false },
  });
  const outcome = await refused.sender.send(notice, open);
  assert.ok(!outcome.ok && outcome.isRefused && outcome.status === 554);
  const unset = await (await createTestOutbox(t)).sender.send(notice, open);
  assert.match(unset.ok ? '' : unset.error, /smtp\.url/);
  const url = server.url.replace('smtp://', 'smtp://floe:100%@');
  const unreadable = await createTestOutbox(t, {
    mail: { url, from: 'floe@acme.example', requireTls: false },
  });
  const said = await unreadable.sender.send(notice, open);
  assert.match(
    said.ok ? '' : said.error,
    /smtp\.url: a % in the user name or password must be written as %25/,
  );
});

test('email: a server without TLS receives no mail and no password unless smtp.require_tls is false', async (t) => {
  const server = await smtpServer(t);
  const config = ChannelSchema.parse({ name: 'mail', kind: 'email', to: ['a@acme.example'] });
  const open = opened(config);
  const notice = createTestAlertMessage(
    'dlv_9',
    { orgId: 'acme', name: 'mail' },
    'https://floe.example',
    NOW,
  );
  const url = server.url.replace('smtp://', 'smtp://floe:hunter2@');
  const strict = await createTestOutbox(t, { mail: { url, from: 'floe@acme.example', requireTls: true } });
  const outcome = await strict.sender.send(notice, open);
  assert.match(outcome.ok ? '' : outcome.error, /TLS/i);
  assert.deepEqual([server.mails.length, server.recipients.length], [0, 0]);
});

/** As much of a mail server as a client needs. */
async function smtpServer(t: TestContext, verdict = '250 2.0.0 queued', unknownRecipient = '') {
  const mails: string[] = [];
  const recipients: string[][] = [];
  const server = createServer((socket) => {
    let text = '';
    let inData = false;
    let to: string[] = [];
    const line = (command: string) => {
      if (/^EHLO/i.test(command)) return '250-mail.example\r\n250 8BITMIME';
      const recipient = /^RCPT TO:<(.*)>/i.exec(command)?.[1];
      if (recipient !== undefined && recipient === unknownRecipient) return '550 5.1.1 unknown user';
      if (recipient !== undefined) to.push(recipient);
      if (/^DATA/i.test(command)) {
        inData = true;
        return '354 go on';
      }
      return /^QUIT/i.test(command) ? '221 bye' : '250 ok';
    };
    socket.on('error', () => undefined);
    socket.write('220 mail.example ESMTP\r\n');
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (;;) {
        const end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + (inData ? 5 : 2));
        if (inData) {
          inData = false;
          mails.push(part);
          recipients.push(to);
          to = [];
          socket.write(`${verdict}\r\n`);
        } else socket.write(`${line(part)}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `smtp://127.0.0.1:${address.port}`, mails, recipients };
}
