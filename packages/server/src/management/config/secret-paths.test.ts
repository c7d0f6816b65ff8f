import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretPath } from './secret-paths.ts';

test('the secrets of an organization are exactly those that the schema marks', () => {
  const secrets = [
    ['keys', 0, 'key'],
    ['providers', 3, 'api_key'],
    ['providers', 3, 'credentials', 1, 'api_key'],
    ['providers', 3, 'headers', 'x-tenant'],
    ['providers', 3, 'identity', 'secret_access_key'],
    ['providers', 3, 'identity', 'session_token'],
    ['providers', 3, 'outbound', 'proxy'],
    ...['url', 'secret', 'routing_key', 'token', 'bot_token'].map((field) => ['channels', 2, field]),
  ];
  for (const path of secrets) assert.equal(isSecretPath(path), true, path.join('.'));
  const shown = [
    ['name'],
    ['keys', 0, 'name'],
    ['providers', 3, 'headers'],
    ['providers', 3, 'body', 'api_key'],
    ['providers', 3, 'identity', 'access_key_id'],
    ['channels', 2, 'base_url'],
    ['routes', 0, 'api_key'],
  ];
  for (const path of shown) assert.equal(isSecretPath(path), false, path.join('.'));
});
