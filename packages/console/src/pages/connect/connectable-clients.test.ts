import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONNECTABLE_CLIENTS, KEY_VARIABLE } from './connectable-clients.ts';

const PLACE = { gateway: 'https://floe.example.com/gateway', model: 'openai/gpt-5' };

test('no command assigns the variable of the key to itself', () => {
  for (const { id, snippets } of CONNECTABLE_CLIENTS)
    for (const { code } of snippets({ ...PLACE, key: KEY_VARIABLE }))
      assert.doesNotMatch(code, /FLOE_API_KEY=\$FLOE_API_KEY/, id);
});

test('a created key is exported in the variable that the client reads', () => {
  const codex = CONNECTABLE_CLIENTS.find(({ id }) => id === 'codex');
  const codes = codex?.snippets({ ...PLACE, key: 'eis_new' }).map(({ code }) => code) ?? [];
  assert.equal(codes.at(-1), 'export FLOE_API_KEY=eis_new\ncodex');
});
