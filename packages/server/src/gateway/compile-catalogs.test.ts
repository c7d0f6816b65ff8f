import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { compileCatalogs } from './compile-catalogs.ts';

test('settings without effect are reported, and others are not', () => {
  const { orgs } = FloeConfigSchema.parse({
    orgs: [
      {
        id: 'acme',
        providers: [
          { id: 'sandbox', kind: 'sandbox' },
          { id: 'seats', kind: 'anthropic', credential_source: 'caller' },
          { id: 'cloud', kind: 'vertex', region: 'test-1', project: 'p-1' },
        ],
        passthrough: { b: ['cloud', 'seats'] },
        routes: [
          { model: 'plain', targets: ['sandbox/echo'] },
          { model: 'spread', targets: ['sandbox/echo'], strategy: 'weighted', rescue: 'replay' },
        ],
      },
    ],
  });
  const { unsupportedSettings } = compileCatalogs(orgs, null, {
    lookupVariable: () => undefined,
    outbound: { proxy: '', no_proxy: '', ca_file: '' },
  });
  assert.deepEqual(unsupportedSettings, [
    'acme/passthrough.b: the provider cloud does not support the API of /gateway/passthrough-b',
  ]);
});
