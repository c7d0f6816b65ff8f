import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_UPLOAD_BYTES } from '../gateway/opaque/upload-stream.ts';
import { SharedCapacity } from '../gateway/overload/shared-capacity.ts';
import { MIN_DEFAULT_BODY_DISK_MB } from './create-overload-manager.ts';

const MIB = 1024 * 1024;

test('the default disk size has room for the largest form, also with several organizations', () => {
  const disk = new SharedCapacity(MIN_DEFAULT_BODY_DISK_MB * MIB, () => 2);
  for (let taken = 0; taken < MAX_UPLOAD_BYTES; taken += MIB)
    assert.ok(disk.tryTake('acme', MIB), `${taken}`);
});
