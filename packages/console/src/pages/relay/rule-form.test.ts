import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatRuleSavedMessage,
  isAnyRuleLimitedToObserve,
  NEW_RULE_FORM,
  replaceRuleWithDraft,
  summarizeRule,
  toRuleBody,
  toRuleFormValues,
} from './rule-form.ts';

const RULE = {
  name: 'no-force-push',
  on: ['shell'],
  mode: 'enforce',
  match: { command: ['git'], subcommand: ['push'], any_flag: ['-f', '--force'], all_flags: ['-q'] },
  who: { teams: ['search'] },
  schedule: { days: ['mon'], from: '09:00', to: '17:00', timezone: 'UTC' },
  except: [],
  decision: 'deny',
  on_error: 'closed',
  message: { user: 'No.', agent: 'Open a pull request.' },
};

const shown = (rule: typeof RULE, mode: 'observe' | 'enforce' = 'enforce') => ({
  id: rule.name,
  rule,
  mode,
  match_count: 0,
  source: { kind: 'console', file: null, line: null } as const,
  created_at: null,
  updated_at: null,
  updated_by: null,
});

test('a rule goes through the form and loses nothing, not even what has no field', () => {
  const { except: _, ...kept } = RULE;
  assert.deepEqual(toRuleBody(toRuleFormValues({ rule: RULE })), {
    ...kept,
    detect: null,
    except: null,
    when: null,
  });
});

test('patterns that were not edited keep their spaces and line breaks, also in the draft', () => {
  const rule = { ...RULE, match: { ...RULE.match, text: ['^ssn: ', 'a\nb'] } };
  const before = shown(rule);
  const form = toRuleFormValues(before);
  const edited = { ...form, match: { ...form.match, command: 'git\nhub' } };
  assert.deepEqual(toRuleBody(edited, before)['match'], { ...rule.match, command: ['git', 'hub'] });
  const [draft] = replaceRuleWithDraft([before], before.id, edited) ?? [];
  assert.deepEqual(draft && Reflect.get(draft, 'match'), { ...rule.match, command: ['git', 'hub'] });
});

test('a pattern that was not edited keeps its spaces beside one that was added', () => {
  const rule = { ...RULE, match: { ...RULE.match, text: ['^ssn: '] } };
  const before = shown(rule);
  const form = toRuleFormValues(before);
  const added = { ...form, match: { ...form.match, text: '^ssn: \n ^iban: \n' } };
  const match = toRuleBody(added, before)['match'];
  assert.deepEqual(match && Reflect.get(match, 'text'), ['^ssn: ', '^iban:']);
});

test('a field that is emptied is cleared, not kept', () => {
  const form = { ...toRuleFormValues({ rule: RULE }), rest: '', user: '', agent: '' };
  const body = toRuleBody({ ...form, match: NEW_RULE_FORM.match });
  assert.equal(body['who'], null);
  assert.equal(body['message'], null);
  assert.equal(body['match'], null);
});

test('a rest that is no JSON object is refused by its field', () => {
  for (const rest of ['{', '[]', '3'])
    assert.throws(() => toRuleBody({ ...NEW_RULE_FORM, rest }), { param: 'rest' });
});

test('a draft takes the place of its rule, and a new one joins them', () => {
  const all = [shown(RULE), shown({ ...RULE, name: 'other' })];
  const names = (rules: object[] | null) => rules?.map((rule) => Reflect.get(rule, 'name'));
  assert.deepEqual(names(replaceRuleWithDraft(all, 'other', { ...NEW_RULE_FORM, name: 'next' })), [
    'no-force-push',
    'next',
  ]);
  assert.deepEqual(names(replaceRuleWithDraft(all, null, NEW_RULE_FORM))?.length, 3);
  assert.equal(replaceRuleWithDraft(all, null, { ...NEW_RULE_FORM, rest: '{' }), null);
});

test('a rule is summarized in one line', () => {
  assert.equal(summarizeRule({ rule: RULE }), 'git push -f|--force -q');
  const all = { command: 'rm', all_flags: ['-r', '-f'], args: '/' };
  assert.equal(summarizeRule({ rule: { name: 'no-root', match: all } }), 'rm -r -f /');
  assert.equal(
    summarizeRule({ rule: { name: 'a', detect: { secrets: true, pii: ['iban'] } } }),
    'contains secrets, iban',
  );
});

test('rules are limited when relay.mode only observes', () => {
  assert.equal(isAnyRuleLimitedToObserve([shown(RULE, 'observe')]), true);
  assert.equal(isAnyRuleLimitedToObserve([shown(RULE)]), false);
});

test('the toast says that a rule applies only when it does not merely observe', () => {
  for (const mode of ['observe', 'warn', 'enforce'] as const)
    for (const relay of ['observe', 'enforce'] as const) {
      const effective = relay === 'observe' ? 'observe' : mode;
      const text = formatRuleSavedMessage({
        rule: { ...toRuleBody({ ...NEW_RULE_FORM, name: 'r', mode }), name: 'r' },
        mode: effective,
      });
      assert.equal(/now applies/.test(text), effective !== 'observe', `${mode} under ${relay}`);
      assert.equal(/relay\.mode/.test(text), effective !== mode, `${mode} under ${relay}`);
    }
});
