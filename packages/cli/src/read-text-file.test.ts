import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { loadApiOperations } from './api/api-operations.ts';
import { parseOperationArguments } from './api/operation-arguments.ts';
import { applyConfigCommand } from './config-commands.ts';
import { IMPORT_COMMANDS } from './import/import-commands.ts';
import { readTextFile } from './read-text-file.ts';
import { UsageError } from './usage-error.ts';

suite('a file of a command', () => {
  const directory = mkdtempSync(join(tmpdir(), 'floe-text-'));
  const fileOf = (bytes: string | Buffer) => {
    const file = join(directory, 'file');
    writeFileSync(file, bytes);
    return file;
  };

  test('may start with a byte order mark', () => {
    const create = loadApiOperations()['teams']?.['create'] ?? assert.fail('there is no teams create');
    const file = fileOf('\ufeff{"id": "caf\u00e9"}');
    const { body } = parseOperationArguments(create, ['--body-file', file]);
    assert.deepEqual(JSON.parse(body ?? ''), { id: 'caf\u00e9' });
  });

  test('is rejected if it is not UTF-8, because its characters would be replaced', async () => {
    for (const bytes of [Buffer.from('name: caf\u00e9', 'latin1'), Buffer.from('\ufeffname: a', 'utf16le')]) {
      assert.throws(() => readTextFile(fileOf(bytes)), /file is not valid UTF-8\. Save the file/);
      await assert.rejects(applyConfigCommand.run([fileOf(bytes)]), /not valid UTF-8/);
    }
  });

  test('that an import cannot write is named with the reason', async () => {
    const litellm = IMPORT_COMMANDS.find(({ words }) => words[1] === 'litellm') ?? assert.fail();
    const output = join(directory, 'none', 'floe.yaml');
    for (const option of ['--output', '--secrets-file'])
      await assert.rejects(
        litellm.run([fileOf('model_list: []'), '--output', join(directory, 'a.yaml'), option, output]),
        (error) => error instanceof UsageError && /floe\.yaml cannot be written: ENOENT/.test(error.message),
      );
  });

  test('that cannot be read is named with the reason', () => {
    assert.throws(() => readTextFile(join(directory, 'none')), /none cannot be read \(ENOENT\)/);
    assert.throws(() => readTextFile(directory), /cannot be read \(EISDIR\)/);
    rmSync(directory, { recursive: true });
  });
});
