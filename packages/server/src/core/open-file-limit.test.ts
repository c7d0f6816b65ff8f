import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { devNull, release } from 'node:os';
import { test } from 'node:test';
import { probeOpenFiles } from './open-file-limit.ts';

const [major = 0, minor = 0] = release().split('.').map(Number);
const isStated = process.platform === 'linux' && (major > 6 || (major === 6 && minor >= 2));

test('the number of open files counts those above a closed one', {
  skip: !isStated && 'the operating system does not state the number',
}, (t) => {
  const before = probeOpenFiles();
  const opened = Array.from({ length: 50 }, () => openSync(devNull, 'r'));
  t.after(() => {
    for (const descriptor of opened) closeSync(descriptor);
  });
  const [first = 0] = opened.splice(0, 1);
  closeSync(first);
  const added = probeOpenFiles() - before;
  assert.ok(added >= 45 && added <= 53, `${added}`);
});
