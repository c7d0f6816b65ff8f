import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DialogPrompt } from './dialog-prompts.ts';

test('requests that are refused at the same time share one question', async () => {
  const question = new DialogPrompt<string>();
  const asked: string[] = [];
  const answer = Promise.withResolvers<string>();
  const forget = question.setHandler((message) => {
    asked.push(message);
    return answer.promise;
  });
  const both = [question.prompt('It costs more.'), question.prompt('It costs more.')];
  answer.resolve('A demo');
  assert.deepEqual(await Promise.all(both), ['A demo', 'A demo']);
  assert.deepEqual(asked, ['It costs more.']);
  await question.prompt('Again.');
  assert.equal(asked.length, 2, 'a later refusal asks again');
  forget();
  assert.equal(await question.prompt('Nobody asks any more.'), null);
});

test('without anybody to ask, the refusal stands', async () => {
  assert.equal(await new DialogPrompt<true>().prompt('Who are you?'), null);
});

test('a prompt whose dialog is removed is canceled, and the next one is asked', async () => {
  const question = new DialogPrompt<string>();
  const forget = question.setHandler(() => new Promise<string>(() => undefined));
  const asked = question.prompt('It costs more.');
  forget();
  assert.equal(await asked, null);
  question.setHandler(async () => 'A demo');
  assert.equal(await question.prompt('Again.'), 'A demo');
});
