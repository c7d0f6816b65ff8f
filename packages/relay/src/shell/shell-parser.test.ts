import assert from 'node:assert/strict';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { loadShellParser } from './shell-parser.ts';

test('the grammar is loaded again after it could not be loaded', async (t) => {
  const tooMany = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  const { mock } = t.mock.method(files, 'readFile', () => Promise.reject(tooMany));
  syncBuiltinESMExports();
  await assert.rejects(loadShellParser(), tooMany);
  mock.restore();
  syncBuiltinESMExports();
  const parser = await loadShellParser();
  assert.equal(await loadShellParser(), parser);
});
