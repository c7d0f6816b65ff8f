import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceUnstorableCharacters } from '../core/unstorable-characters.ts';
import { findEndUser } from './end-user.ts';

type Asked = Parameters<typeof findEndUser>[0];

/** As far as it is looked at. */
function asked(user: string | undefined, headers: Asked['client']['headers'] = {}): Asked {
  return {
    client: { headers },
    caller: { catalog: { userHeaders: ['x-user'] } },
    request: { prompt: { user }, opaque: null },
  } as never;
}

test('an end user is read from a configured header, otherwise from the body, as text that every database can store', () => {
  assert.equal(findEndUser(asked('ana')), 'ana');
  assert.equal(findEndUser(asked('ana', { 'x-user': 'ben' })), 'ben');
  assert.equal(findEndUser(asked(undefined)), null);
  assert.equal(findEndUser(asked('a\0b\ud800')), 'a\ufffdb\ufffd');
  const cut = findEndUser(asked(`${'x'.repeat(255)}\u{1f600}`)) ?? '';
  assert.equal(cut, replaceUnstorableCharacters(cut));
});
