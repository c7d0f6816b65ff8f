import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchLinkTokens } from './link-token.ts';

test('a link that only changes the fragment of the open page is reported until the watch is stopped', () => {
  const location = { href: 'http://floe.local/sign-in' };
  const page = Object.assign(new EventTarget(), { location });
  const arrived: string[] = [];
  const stop = watchLinkTokens(page, (token) => arrived.push(token));
  const open = (fragment: string) => {
    location.href = `http://floe.local/sign-in${fragment}`;
    page.dispatchEvent(new Event('hashchange'));
  };
  open('#token=first');
  open('');
  open('#token=second');
  stop();
  open('#token=third');
  assert.deepEqual(arrived, ['first', 'second']);
});
