import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { defineSessionOperation } from './session-operation.ts';

test('a body whose text the database cannot store is rejected', () => {
  const { perform } = defineSessionOperation({
    name: 'session.test',
    method: 'POST',
    path: '/api/session/test',
    summary: 'Test',
    status: 200,
    body: z.strictObject({ name: z.string() }),
    answer: z.unknown(),
    run: async ({ body }) => ({ body }),
  });
  const call = (name: string) =>
    perform({
      browser: { address: '127.0.0.1', agent: 'test', token: null, isUse: true },
      cookies: undefined,
      body: { name },
      query: {},
      params: {},
    });
  assert.doesNotThrow(() => call('Ada'));
  assert.throws(() => call('A\u0000da'), {
    code: 'invalid_request',
    message: 'name: must not contain the character U+0000',
  });
});
