import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONNECTABLE_CLIENTS, KEY_VARIABLE } from './connectable-clients.ts';

const PLACE = { gateway: 'https://floe.example.com/gateway', model: 'openai/gpt-5' };

test('no command assigns the variable of the key to itself', () => {
  for (const { id, snippets } of CONNECTABLE_CLIENTS)
    for (const { code } of snippets({ ...PLACE, key: KEY_VARIABLE }))
      assert.doesNotMatch(code, /FLOE_API_KEY=\$FLOE_API_KEY/, id);
});

test('settings that no shell expands show no shell variable', () => {
  const keysOf = (id: string, key: string) =>
    CONNECTABLE_CLIENTS.find((client) => client.id === id)
      ?.snippets({ ...PLACE, key })
      .map(({ code }) => code)
      .join('\n') ?? '';
  assert.match(keysOf('cursor', KEY_VARIABLE), /^sk-<your key>$/m);
  assert.match(keysOf('vscode', KEY_VARIABLE), /^<your key>$/m);
  assert.match(keysOf('continue', KEY_VARIABLE), /apiKey: \$\{\{ secrets\.FLOE_API_KEY \}\}$/m);
  for (const id of ['cursor', 'vscode', 'continue']) {
    assert.doesNotMatch(keysOf(id, KEY_VARIABLE), /\$FLOE_API_KEY/, id);
    assert.match(keysOf(id, 'eis_new'), /eis_new/, id);
  }
});

test('a created key is exported in the variable that the client reads', () => {
  const codex = CONNECTABLE_CLIENTS.find(({ id }) => id === 'codex');
  const codes = codex?.snippets({ ...PLACE, key: 'eis_new' }).map(({ code }) => code) ?? [];
  assert.equal(codes.at(-1), 'export FLOE_API_KEY=eis_new\ncodex');
});
