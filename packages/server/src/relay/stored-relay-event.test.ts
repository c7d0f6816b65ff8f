import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
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
