import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQueryString, parseQueryString, resolvePathAfterSignIn } from './query-string.ts';

test('a query survives the address bar, whatever its values hold', () => {
  for (const search of [
    { model: 'openai/gpt-5', range: '1h' },
    { 'metadata.team': 'a&b=c #?%2C', status: '>400,<500' },
    { key: ['one', 'two'] },
  ])
    assert.deepEqual(parseQueryString(formatQueryString(search)), search);
  assert.equal(
    formatQueryString({ model: 'openai/*', 'metadata.team': 'growth' }),
    '?model=openai/*&metadata.team=growth',
  );
});

test('after signing in nobody is led to another site', () => {
  for (const bad of [
    null,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'o/acme',
    '/sign-in?next=/',
  ])
    assert.equal(resolvePathAfterSignIn(bad), '/', String(bad));
  assert.equal(resolvePathAfterSignIn('/o/acme/requests?status=429'), '/o/acme/requests?status=429');
});
