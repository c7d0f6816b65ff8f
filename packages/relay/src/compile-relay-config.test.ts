import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelayConfig, compileUsableRelayConfig } from './compile-relay-config.ts';
import { evaluateRelayEvent } from './evaluate-event.ts';
import { loadShellParser } from './shell/shell-parser.ts';

const grammar = await loadShellParser();

test('a rule that this release cannot compile asks instead of denying, and does not disable the other rules', () => {
  const config = RelaySchema.parse({
    mode: 'enforce',
    self_tamper: 'off',
    rules: [
      { name: 'text', on: 'prompt', match: { text: '(' }, decision: 'deny' },
      {
        name: 'condition',
        on: 'shell',
        match: { command: 'rm' },
        when: 'command.colour == 1',
        decision: 'deny',
      },
      { name: 'zone', on: 'shell', match: { command: 'mv' }, schedule: { days: ['mon'] }, decision: 'ask' },
      {
        name: 'exception',
        on: 'prompt',
        match: { text: 'secret' },
        except: [{ reason: 'known', match: { text: '(' } }],
        decision: 'deny',
      },
      { name: 'allowing', on: 'shell', when: 'command.colour == 1', decision: 'allow' },
      { name: 'intact', on: 'shell', match: { command: 'dd' }, decision: 'deny' },
    ],
  });
  // A time zone that the ICU data of this Node does not have.
  const rules = config.rules.map((rule) =>
    rule.schedule ? { ...rule, schedule: { ...rule.schedule, timezone: 'Mars/Base' } } : rule,
  );
  assert.throws(() => compileRelayConfig({ ...config, rules }));
  const { unusable, ...relay } = compileUsableRelayConfig({ ...config, rules });
  assert.deepEqual(
    unusable.map(({ rule, error }) => `${rule} ${error.path.slice(2).join('.')}`),
    [
      'text match.text.0',
      'condition when',
      'zone schedule.timezone',
      'exception except.0.match.text.0',
      'allowing when',
    ],
  );
  const decide = (event: object) => {
    const { decision, hits } = evaluateRelayEvent(relayEvent.parse(event), {
      relay,
      grammar,
      identity: { key: 'k', team: null, owner: null },
      nowMs: 0,
    });
    return `${decision} ${hits.map(({ rule }) => rule).join()}`;
  };
  const shell = (command: string) => ({ event: 'shell', shell: { command } });
  assert.equal(decide(shell('rm x')), 'ask condition');
  assert.equal(decide(shell('mv x y')), 'ask zone');
  assert.equal(decide(shell('dd if=x')), 'deny intact');
  assert.equal(decide(shell('ls')), 'abstain ');
  assert.equal(decide({ event: 'prompt', prompt: { text: 'hello' } }), 'ask text,exception');
  const messages = relay.rules.flatMap(({ name, message }) => (name === 'self-tamper' ? [] : [message]));
  assert.deepEqual(messages, [null, null, null, null, null], 'no pattern or condition of the rules');
});
