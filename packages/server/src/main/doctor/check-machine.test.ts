import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOpenFiles } from './check-machine.ts';

test('an open file limit that is too low for the maximum number of requests is a warning', () => {
  assert.equal(checkOpenFiles(10_000, 20_000).status, 'ok');
  assert.equal(checkOpenFiles(10_000, null).status, 'skipped');
  const { status, message, remedy } = checkOpenFiles(10_000, 1_024);
  assert.deepEqual(
    [status, message],
    [
      'warning',
      'a process that is started like this command can have 1024 files and connections open, but 10000 concurrent requests need up to 20000',
    ],
  );
  assert.match(remedy ?? '', /LimitNOFILE/);
});
