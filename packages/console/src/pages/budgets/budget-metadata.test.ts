import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../data/api-error.ts';
import { formatBudgetMetadata, parseBudgetMetadata } from './budget-metadata.ts';

const parsed = (text: string) => ({ ...parseBudgetMetadata(text) });

test('metadata that a form does not change is saved as it was', () => {
  for (const metadata of [{ 'a=b': 'c' }, { d: ' e ' }, { f: 'one\ntwo' }, { '{x': 'y' }, { team: '' }, {}])
    assert.deepEqual(parsed(formatBudgetMetadata(metadata)), metadata);
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[ a=\n{}"\r]{0,6}$/));
  fc.assert(
    fc.property(fc.dictionary(text, text), (metadata) => {
      assert.deepEqual(Object.entries(parsed(formatBudgetMetadata(metadata))), Object.entries(metadata));
    }),
  );
});

test('plain metadata is one pair per line, and other metadata is JSON', () => {
  const metadata = { team: 'growth', project: 'a=b', d: ' e ' };
  assert.equal(formatBudgetMetadata(metadata), 'team=growth\nproject=a=b\n{"d":" e "}');
  assert.deepEqual(parsed(' team = growth \n\n{"x": "y", "z": ""}'), { team: 'growth', x: 'y', z: '' });
});

test('each line break that a textarea changes is written as JSON', () => {
  for (const value of ['one\ntwo', 'one\rtwo', 'one\r\ntwo']) {
    const text = formatBudgetMetadata({ note: value });
    assert.doesNotMatch(text, /[\r\n]/);
    assert.deepEqual(parsed(text), { note: value });
  }
  assert.deepEqual(parsed('a=b\rc=d\r\ne=f'), { a: 'b', c: 'd', e: 'f' });
});

test('a name that is given twice is rejected, because only one of its values would count', () => {
  for (const text of ['team=a\nteam=b', 'team=a\n{"team":"b"}', 'team=a\nteam=a'])
    assert.throws(
      () => parseBudgetMetadata(text),
      (error: unknown) =>
        error instanceof ApiError && error.param === 'metadata' && error.message.includes('“team”'),
      text,
    );
});

test('a line that is not a pair is rejected, because a budget for it would count nothing', () => {
  for (const line of ['team: growth', 'team', 'team=', '=growth', '{"a":1}', '{"a"']) {
    const isRejection = (error: unknown) =>
      error instanceof ApiError && error.param === 'metadata' && error.message.includes(line);
    assert.throws(() => parseBudgetMetadata(`x=y\n${line}`), isRejection, line);
  }
});
