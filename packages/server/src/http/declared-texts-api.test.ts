// Fields of floe.yaml that only say something to people: where they are read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { type RunningApi, runApi } from './test/running-api.ts';

const [org] = FloeConfigSchema.parse({
  orgs: [
    {
      id: 'acme',
      name: 'Acme Research',
      relay: {
        rules: [
          {
            name: 'no-curl',
            on: 'shell',
            match: { command: 'curl' },
            decision: 'deny',
            except: [{ reason: 'Health checks', match: { args: '*/healthz' } }],
          },
        ],
      },
    },
  ],
}).orgs;
assert.ok(org);

let api: RunningApi;
before(async () => {
  api = await runApi({ org });
});
after(() => api.close());

test('the description of an exception is shown with its rule', async () => {
  const { key } = await api.addKey('acme', { scopes: ['relay', 'management'] });
  const { status, text } = await api.call('GET', '/api/management/relay/rules', { key });
  assert.equal(status, 200, text);
  assert.match(text, /"reason":"Health checks"/);
});
