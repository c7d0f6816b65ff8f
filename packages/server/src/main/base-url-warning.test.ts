import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBaseUrlWarning } from './base-url-warning.ts';

const listening = {
  url: 'http://127.0.0.1:4000',
  additional: [{ url: 'http://127.0.0.1:4001', surfaces: ['gateway'] }],
};

test('a base URL with a port of this machine on which the server does not listen causes a warning', () => {
  for (const url of [
    'http://127.0.0.1:3563',
    'http://localhost:3563/floe',
    'http://[::1]',
    'https://floe.localhost',
  ])
    assert.match(findBaseUrlWarning(url, listening) ?? '', /but the server listens on port 4000/, url);
  assert.equal(
    findBaseUrlWarning('http://127.0.0.1:3563', listening),
    'server.base_url is http://127.0.0.1:3563, but the server listens on port 4000, so links might not work. Remove server.base_url and FLOE_BASE_URL, unless port 3563 is forwarded to this server.',
  );
});

test('a public base URL and the ports of all listeners cause no warning', () => {
  for (const url of [
    'https://floe.example.com',
    'http://localhost:4000',
    'http://127.0.0.1:4001',
    'http://127.example.com',
  ])
    assert.equal(findBaseUrlWarning(url, listening), null, url);
});
