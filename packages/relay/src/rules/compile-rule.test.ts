import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayEvent } from '@floe/contract/api/relay';
import { RelayRuleSchema } from '@floe/contract/config/relay';
import { compileRule, findRuleMatches } from './compile-rule.ts';
import { InvalidRelayRuleError } from './compile-rule-field.ts';
import { PreparedEvent } from './prepared-event.ts';

const ruleOf = (text: readonly string[], except: readonly string[] = []) =>
  RelayRuleSchema.parse({
    name: 'words',
    on: ['prompt'],
    match: { text },
    except: except.length === 0 ? [] : [{ reason: 'known', match: { text: except } }],
    decision: 'deny',
  });

test('a rule is compiled once', () => {
  const rule = ruleOf(['a+']);
  assert.equal(compileRule(rule), compileRule(rule));
});

test('the cost of compiling all regular expressions of a rule is limited', () => {
  const large = Array.from({ length: 2 }, (_, at) => `(x${at}{4})`.repeat(400));
  compileRule(ruleOf(large));
  const many = Array.from({ length: 200 }, () => '\\pL'.repeat(20));
  for (const rule of [ruleOf(many), ruleOf(['a'], many)])
    assert.throws(
      () => compileRule(rule),
      (error) =>
        error instanceof InvalidRelayRuleError &&
        error.path.at(-2) === 'text' &&
        /must compile in at most 300000 steps/.test(error.message),
    );
});

test('the arguments of a tool are searched twice only where JSON escapes them', () => {
  const rule = compileRule(RelayRuleSchema.parse({ ...ruleOf(['a"b', 'c\nd']), on: ['tool'] }));
  const search = (args: object) => {
    const event = relayEvent.parse({ event: 'tool', tool: { name: 't', arguments: args } });
    const input = new PreparedEvent(null, event, { key: '', team: null, owner: null }, 0);
    return { matches: findRuleMatches(rule, input).length, steps: input.steps.used };
  };
  assert.equal(search({ x: 'a"b' }).matches, 1);
  assert.equal(search({ x: 'y', z: ['c\nd'] }).matches, 1);
  const text = 'y'.repeat(50_000);
  const once = search({ text });
  assert.equal(once.matches, 0);
  assert.ok(search({ text: `${text}"` }).steps > 1.5 * once.steps);
  assert.ok(search({ text, other: 'a"' }).steps < 1.1 * once.steps);
});
