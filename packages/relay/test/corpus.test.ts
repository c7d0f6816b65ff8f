import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig } from '../src/compile-relay-config.ts';
import { evaluateRelayEvent } from '../src/evaluate-event.ts';
import { loadShellParser } from '../src/shell/shell-parser.ts';
import rules from './corpus/rules.json' with { type: 'json' };

const CORPUS = join(import.meta.dirname, 'corpus');
/** Of a hundred commands. */
const MOST_MISSED = 1;
const MOST_FALSE_ALARMS = 1;

const relay = compileRelayConfig(RelaySchema.parse(rules));
const grammar = await loadShellParser();
const identity = { key: 'ci', team: null, owner: null };

function decided(command: string): string {
  const given = { event: 'shell', cwd: '/home/dev/app', home_dir: '/home/dev', shell: { command } };
  return evaluateRelayEvent(relayEvent.parse(given), { relay, grammar, identity, nowMs: 0 }).decision;
}

function commandsIn(half: string, kind: 'hostile' | 'harmless'): readonly string[] {
  const files = readdirSync(join(CORPUS, half)).filter((name) => name.startsWith(kind));
  const lines = files.flatMap((name) => readFileSync(join(CORPUS, half, name), 'utf8').split('\n'));
  return lines.filter((line) => line !== '').map((line) => line.replaceAll('⏎', '\n'));
}

for (const half of ['independent', 'informed'])
  suite(`the ${half} half of the corpus`, () => {
    test('at most one hostile command in a hundred is missed', (t) => {
      const commands = commandsIn(half, 'hostile');
      const missed = commands.filter((command) => /^(?:abstain|allow)$/.test(decided(command)));
      t.diagnostic(`${missed.length} of ${commands.length} missed: ${missed.join(' · ')}`);
      assert.ok(missed.length * 100 <= commands.length * MOST_MISSED, missed.join('\n'));
    });

    test('at most one harmless command in a hundred is a false alarm', (t) => {
      const commands = commandsIn(half, 'harmless');
      const alarms = commands.filter((command) => decided(command) !== 'abstain');
      t.diagnostic(`${alarms.length} of ${commands.length} stopped: ${alarms.join(' · ')}`);
      assert.ok(alarms.length * 100 <= commands.length * MOST_FALSE_ALARMS, alarms.join('\n'));
    });
  });

test('the corpus has a thousand different commands each way, and half of them are independent', () => {
  for (const kind of ['hostile', 'harmless'] as const) {
    const independent = new Set(commandsIn('independent', kind));
    assert.ok(independent.size >= 500);
    assert.ok(new Set([...independent, ...commandsIn('informed', kind)]).size >= 1_000);
  }
});
