import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { appendQuery, buildForwardedQuery } from './client-query.ts';

const KEY = 'eis_secret';
const queryOf = (target: string) =>
  buildForwardedQuery({ client: { target }, caller: { presentedKey: KEY } });

test('a query is forwarded as the client sent it, without parameters that contain the platform key', () => {
  for (const [target, query] of [
    ['/v1/messages', ''],
    ['/v1/messages?', ''],
    ['/v1/messages?beta=true', '?beta=true'],
    ['/v1/messages?b=%20&a=1&a=?/&', '?b=%20&a=1&a=?/&'],
    [`/v1/messages?beta=true&key=${KEY}&a`, '?beta=true&a'],
    [`/v1/messages?${KEY}`, ''],
    ['/v1/messages?a=1&k=eis%5Fsecret&%65is_secret=%zz&b', '?a=1&b'],
    ['/v1/messages?k=%zz%eis%5fsecret&b=%&c=%F', '?b=%&c=%F'],
  ] as const)
    assert.equal(queryOf(target), query);
});

test('a query with characters that a URL cannot contain is an error only for a target that receives it', () => {
  for (const query of ['?a=é', '?a=b c', '?a#b']) {
    assert.equal(queryOf(`/v1/messages${query}`), query);
    assert.throws(
      () => appendQuery('/messages', query),
      (error) => error instanceof Fault && error.code === 'invalid_request',
    );
  }
});

test('a configured parameter of the provider takes precedence over the parameter of the client', () => {
  assert.equal(appendQuery('/chat', '?beta=true'), '/chat?beta=true');
  assert.equal(appendQuery('/chat?api-version=1', '?api-version=2&a=b&a'), '/chat?api-version=1&a=b&a');
  assert.equal(appendQuery('/chat?api-version=1', '?api-version=2'), '/chat?api-version=1');
  assert.equal(appendQuery('/chat?api-version=1', ''), '/chat?api-version=1');
  assert.equal(appendQuery('/chat?api-version=1', '?api%2Dversion=2&%zz=%&a'), '/chat?api-version=1&%zz=%&a');
  assert.equal(appendQuery('/chat?api%2dversion=1', '?api-version=2'), '/chat?api%2dversion=1');
});
