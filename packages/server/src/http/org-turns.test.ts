import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { getCurrentOrgId } from '../core/org-context.ts';
import { createFileDownloadSchema, FileDownload } from '../management/file-download.ts';
import { defineReadOperation } from '../management/operation.ts';
import { runApi } from './test/running-api.ts';

const tell = defineReadOperation({
  name: 'test.tell',
  method: 'GET',
  path: '/api/test/org',
  scope: null,
  summary: 'Returns the organization of its reads.',
  answer: z.strictObject({ org: z.string() }),
  run: async () => ({ org: getCurrentOrgId() ?? 'server' }),
});

const download = defineReadOperation({
  name: 'test.download',
  method: 'GET',
  path: '/api/test/download',
  scope: null,
  summary: 'Downloads the organization of each of its reads.',
  answer: createFileDownloadSchema('text/csv'),
  run: async () => new FileDownload('text/csv', 'orgs.csv', orgOfEachRead()),
});

/** Large enough that the socket asks for most chunks. */
async function* orgOfEachRead() {
  for (let n = 0; n < 2_000; n += 1) yield `${getCurrentOrgId() ?? 'server'}${' '.repeat(1_000)}\n`;
}

test('the reads of an API operation, and of each chunk of a download, are those of the caller', async (t) => {
  const api = await runApi({ operations: [tell, download] });
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  assert.deepEqual((await api.call('GET', '/api/test/org', { key })).body, { org: 'acme' });
  const { text } = await api.call('GET', '/api/test/download', { key });
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.length, 2_000);
  assert.deepEqual([...new Set(lines.map((line) => line.trimEnd()))], ['acme']);
});
