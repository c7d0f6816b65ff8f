import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CONDITION_VARIABLE_DESCRIPTIONS,
  getWordBeforeCaret,
  insertConditionVariable,
  suggestConditionVariables,
} from './condition-variables.ts';

const named = (word: string, on: 'request' | 'answer' = 'answer') =>
  suggestConditionVariables(word, on).map(([name]) => name);

test('names are suggested for the word before the caret, and none for a complete name', () => {
  assert.equal(getWordBeforeCaret("team == 'x' && request.ma", 25), 'request.ma');
  assert.equal(getWordBeforeCaret('request.max_tokens > ', 21), '');
  assert.deepEqual(named('request.ma'), ['request.max_tokens']);
  assert.deepEqual(named('team'), []);
  assert.deepEqual(named('nothing'), []);
});

test('names of responses are not suggested for requests', () => {
  assert.deepEqual(named('usage.i', 'request'), []);
  assert.deepEqual(named('usage.i'), ['usage.input_tokens']);
});

test('completing a name does not change the rest of the condition', () => {
  for (const [name] of CONDITION_VARIABLE_DESCRIPTIONS)
    for (let typed = 1; typed < name.length; typed += 1) {
      const before = `true && ${name.slice(0, typed)}`;
      const done = insertConditionVariable(`${before} > 1`, before.length, name);
      assert.equal(done.text, `true && ${name} > 1`);
      assert.equal(done.text.slice(0, done.caret), `true && ${name}`);
    }
});
