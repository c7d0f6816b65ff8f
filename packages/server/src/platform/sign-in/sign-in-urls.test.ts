import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { buildSignInUrls, resolveSafeReturnPath } from './sign-in-urls.ts';

test('passkeys require a host name with HTTPS or localhost in the base URL', () => {
  const rpId = (url: string) => buildSignInUrls(url).passkeys?.rpId ?? null;
  assert.equal(rpId('https://floe.example/ai'), 'floe.example');
  assert.equal(rpId('https://floe.example:8443'), 'floe.example');
  assert.equal(rpId('http://localhost:3563'), 'localhost');
  for (const url of ['http://floe.example', 'https://10.0.0.1', 'https://[::1]:1', 'http://127.0.0.1:3563'])
    assert.equal(rpId(url), null, url);
});

test('pages of other listeners are accepted, and those of other hosts and schemes are not', () => {
  const { origins } = buildSignInUrls('https://floe.example/ai', [8443, 443]);
  assert.deepEqual([...origins], ['https://floe.example', 'https://floe.example:8443']);
});

test('for any input, the redirect stays below this installation', () => {
  for (const base of ['https://floe.example', 'https://floe.example/ai']) {
    const site = buildSignInUrls(base);
    const piece = fc.constantFrom(
      '/',
      '\\',
      '//',
      '..',
      'ai',
      '.',
      '%2e',
      '%2f',
      '@',
      ':',
      'evil.example',
      '?',
      '#',
      '\t',
      '\n',
      ' ',
      'https:',
    );
    const path = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(path, (asked) => {
        const place = resolveSafeReturnPath(site, asked);
        const url = new URL(place, `${base}/sign-in`);
        assert.equal(url.origin, 'https://floe.example');
        assert.ok(url.pathname === site.prefix || url.pathname.startsWith(`${site.prefix}/`), place);
        assert.ok(place.startsWith('/') && !place.startsWith('//'), place);
      }),
      { numRuns: 2000 },
    );
  }
  const site = buildSignInUrls('https://floe.example/ai');
  assert.equal(
    resolveSafeReturnPath(site, '/ai/o/acme/requests?range=24h#x'),
    '/ai/o/acme/requests?range=24h#x',
  );
  assert.equal(resolveSafeReturnPath(buildSignInUrls('https://floe.example'), '/..//evil.example'), '/');
  assert.equal(resolveSafeReturnPath(site, undefined), '/ai/');
});
