import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { toRelayReportRow } from './relay-reports.ts';
import { toStoredRelayEvent } from './stored-relay-event.ts';

const EVENTS = [
  { event: 'shell', shell: { command: 'curl https://internal.example' } },
  { event: 'prompt', prompt: { text: 'say internal.example' } },
  { event: 'file_read', cwd: '/srv', file: { path: '/srv/internal.example' } },
  { event: 'tool', tool: { name: 'get', arguments: { url: 'internal.example' } } },
] as const;

test('keep_text determines whether the log stores the text, or only that there was one', () => {
  for (const event of EVENTS.map((one) => relayEvent.parse(one))) {
    assert.match(JSON.stringify(toStoredRelayEvent(event, 'masked')), /internal\.example/, event.event);
    assert.doesNotMatch(JSON.stringify(toStoredRelayEvent(event, 'none')), /internal\.example/, event.event);
  }
});

test('no part of a secret is stored: neither in the directory nor at the end of a long text', () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  for (const event of [
    { event: 'shell', cwd: `/tmp/${token}`, shell: { command: 'ls' } },
    { event: 'shell', shell: { command: `${'x'.repeat(16_360)} ${token}` } },
    { event: 'prompt', prompt: { text: `${'x'.repeat(16_360)} ${token}` } },
    {
      event: 'prompt',
      prompt: { text: `${'x'.repeat(15_000)} ${'/'.repeat(1_360)}:${token} ${'y '.repeat(9_000)}` },
    },
    { event: 'prompt', prompt: { text: `${`${token} `.repeat(3_000)}` } },
  ])
    for (const keepText of ['masked', 'none'] as const) {
      const stored = toStoredRelayEvent(relayEvent.parse(event), keepText);
      assert.doesNotMatch(JSON.stringify(stored), /ghp_/);
      assert.equal(stored.cwd === null, !('cwd' in event));
    }
});

test('a person who approves an action sees all of it, also its end and its invisible characters', () => {
  const actionOf = (event: object) => toStoredRelayEvent(relayEvent.parse(event), 'masked').action;
  const long = `echo ${'x'.repeat(5_000)}; terraform destroy`;
  assert.equal(actionOf({ event: 'shell', shell: { command: long } }), long);
  assert.equal(
    actionOf({ event: 'shell', shell: { command: 'rm \u202e\r\u200bx\u{e0041}\ny' } }),
    'rm \\u{202e}\\u{d}\\u{200b}x\\u{e0041}\ny',
  );
  const tooLong = actionOf({ event: 'shell', shell: { command: 'x'.repeat(30_000) } });
  assert.match(tooLong, /This text is incomplete\. The whole text has 30000 characters\.\)$/);
  const hidden = actionOf({ event: 'tool', tool: { name: 'post', arguments: { text: 'x'.repeat(30_000) } } });
  assert.equal(hidden, 'post {} (Floe does not store these arguments, because they are too long.)');
  assert.equal(
    actionOf({ event: 'file_write', file: { path: 'a.sh', content: 'rm -r x' } }),
    'a.sh (Floe does not store the content of the file.)',
  );
  const expanded = actionOf({ event: 'shell', shell: { command: '\u{e0041}'.repeat(8_000) } });
  assert.ok(
    expanded.length < 17_000 && expanded.includes('This text is incomplete'),
    String(expanded.length),
  );
});

test('a stored event has a limited size, whatever it contains', () => {
  const attachments = Array.from({ length: 250 }, (_, at) => ({ path: `/srv/${at}/`.padEnd(4_096, 'x') }));
  for (const event of [
    { event: 'prompt', prompt: { text: 'x', attachments } },
    { event: 'prompt', prompt: { text: '\u0001'.repeat(30_000) } },
    { event: 'shell', shell: { command: '\u0001'.repeat(30_000) }, prompt: { text: 'x', attachments } },
  ]) {
    const { json, summary } = toStoredRelayEvent(relayEvent.parse(event), 'masked');
    assert.notEqual(summary, '');
    assert.ok((json ?? '').length <= 65_536, String(json?.length));
  }
  const { json } = toStoredRelayEvent(
    relayEvent.parse({ event: 'prompt', prompt: { text: 'x', attachments } }),
    'masked',
  );
  assert.match(json ?? '', /\/srv\/0\//, 'the first attachments are stored');
});

test('the name that a user chose for a connector does not look like the connector', () => {
  const tool = { name: 'delete', server: 'https://mcp.example.com', arguments: {} };
  const { action } = toStoredRelayEvent(relayEvent.parse({ event: 'tool', tool }), 'masked');
  assert.equal(action, '(connector named "https://mcp.example.com") delete {}');
});

test('keep_text also applies to reports, in which secrets and card numbers are masked', () => {
  const caller = { orgId: 'acme', keyId: 'k', keyName: 'k', team: null, owner: null };
  const details = { hook: 'afterShellExecution', command: 'pay 4111 1111 1111 1111 internal.example' };
  const report = { type: 'shell_result', agent: { name: 'cursor' }, details };
  const stored = (keepText: 'masked' | 'none') =>
    JSON.stringify(toRelayReportRow(caller, report, 0, keepText));
  assert.match(stored('masked'), /internal\.example/);
  assert.doesNotMatch(stored('masked'), /4111/);
  assert.doesNotMatch(stored('none'), /internal\.example/);
});
