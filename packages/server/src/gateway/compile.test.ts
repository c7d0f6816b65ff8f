import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { compileCatalogs } from './compile.ts';

test('settings that do nothing yet are named, others are not', () => {
  const { orgs } = FloeConfigSchema.parse({
    orgs: [
      {
        id: 'acme',
        providers: [
          { id: 'sandbox', kind: 'sandbox' },
          { id: 'seats', kind: 'sandbox', credential_source: 'caller' },
        ],
        routes: [
          { model: 'plain', targets: ['sandbox/echo'] },
          { model: 'spread', targets: ['sandbox/echo'], strategy: 'weighted', rescue: 'replay' },
        ],
      },
    ],
  });
  const { notYet } = compileCatalogs(orgs, 'default', {
    variable: () => undefined,
    outbound: { proxy: '', no_proxy: '', ca_file: '' },
  });
  assert.deepEqual(
    notYet.map((setting) => setting.split(',')[0]),
    ['acme/spread: strategy weighted', 'acme/spread: rescue replay'],
  );
});
