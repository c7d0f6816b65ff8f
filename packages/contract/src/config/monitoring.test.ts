import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelSchema } from './monitoring.ts';

test('the secret of a webhook is any text, or whsec_ with a key of at least 16 bytes', () => {
  const accepts = (secret: string) =>
    ChannelSchema.safeParse({ name: 'a', kind: 'webhook', url: 'https://hooks.example/x', secret }).success;
  for (const secret of ['a plain secret', 'whsec', `whsec_${Buffer.alloc(16, 1).toString('base64')}`])
    assert.ok(accepts(secret), secret);
  for (const secret of ['whsec_', 'whsec_!!!', 'whsec_c2hvcnQ=', `whsec_${'!'.repeat(40)}`])
    assert.ok(!accepts(secret), secret);
});
