import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSignInUrls } from '../../platform/sign-in/sign-in-urls.ts';
import { createSessionCookieDefinition } from './session-cookie.ts';

const WEEK = 'Max-Age=604800';
const PLACES = [
  ['https://floe.example', `__Host-floe_session=v; ${WEEK}; Path=/; HttpOnly; SameSite=Lax; Secure`],
  ['https://floe.example/ai', `floe_session=v; ${WEEK}; Path=/ai; HttpOnly; SameSite=Lax; Secure`],
  [
    'https://floe.example:8443',
    `__Host-floe_session_8443=v; ${WEEK}; Path=/; HttpOnly; SameSite=Lax; Secure`,
  ],
  ['http://10.0.0.5', `floe_session=v; ${WEEK}; Path=/; HttpOnly; SameSite=Lax`],
  ['http://10.0.0.5/ai/x', `floe_session=v; ${WEEK}; Path=/ai/x; HttpOnly; SameSite=Lax`],
] as const;

for (const [baseUrl, expected] of PLACES)
  test(`the cookie at ${baseUrl} has the right attributes, and is removed with the same`, () => {
    const cookie = createSessionCookieDefinition(buildSignInUrls(baseUrl), 168);
    assert.equal(cookie.set('v'), expected);
    assert.equal(cookie.clear(), expected.replace('=v;', '=;').replace(WEEK, 'Max-Age=0'));
  });

test('a cookie is found among others, and two different cookies with its name are invalid', () => {
  const cookie = createSessionCookieDefinition(buildSignInUrls('http://10.0.0.5'), 168);
  for (const [header, value] of [
    ['floe_session=a', 'a'],
    ['x=1; floe_session=a;y=2', 'a'],
    ['floe_session=a; floe_session=a', 'a'],
    ['floe_session=a; floe_session=b', null],
    ['floe_session=', null],
    ['xfloe_session=a', null],
    ['floe_session', null],
    ['', null],
    [undefined, null],
  ] as const)
    assert.equal(cookie.read(header), value, String(header));
});
