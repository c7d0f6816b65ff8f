import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from './compile-relay-config.ts';
import benign from './corpus/benign.json' with { type: 'json' };
import hostile from './corpus/hostile.json' with { type: 'json' };
import given from './corpus/rules.json' with { type: 'json' };
import { evaluateRelayEvent } from './evaluate-event.ts';
import { loadShellParser } from './shell/shell-parser.ts';

const { note: _, ...config } = given;
const relay = compileRelayConfig(RelaySchema.parse(config));
const grammar = await loadShellParser();
const identity = { key: 'ci', team: null, owner: null };

function decided(command: string): string {
  const event = relayEvent.parse({ event: 'shell', cwd: '/srv/app', shell: { command } });
  return evaluateRelayEvent(event, { relay, grammar, identity, nowMs: 0 }).decision;
}

test('every hostile command is answered as its entry says', () => {
  const others = hostile.cases.filter(({ command, decision }) => decided(command) !== decision);
  assert.deepEqual(others, []);
});

test('nothing stands against commands of every day', () => {
  assert.deepEqual(
    benign.commands.filter((command) => decided(command) !== 'abstain'),
    [],
  );
});

test('the lists are long enough to mean something', () => {
  assert.ok(hostile.cases.length >= 150 && benign.commands.length >= 100);
  assert.equal(new Set(hostile.cases.map(({ command }) => command)).size, hostile.cases.length);
});
