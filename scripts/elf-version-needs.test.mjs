// The reader of ELF files finds what readelf finds, and the Node.js of Floe needs no newer libraries than documented.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compareVersions, highestVersion, readVersionNeeds } from './release/elf-version-needs.mjs';
import { RUNTIME } from './setup.mjs';

/** An ELF file whose only content is the need of two versions of one library. */
function elfWithNeeds() {
  const names = Buffer.from('\0libc.so.6\0GLIBC_2.9\0GLIBC_2.28\0', 'latin1');
  const file = Buffer.alloc(64 + 3 * 64 + 16 + 2 * 16 + names.length);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]).copy(file);
  file.writeBigUInt64LE(64n, 0x28);
  file.writeUInt16LE(64, 0x3a);
  file.writeUInt16LE(3, 0x3c);
  const [need, text] = [64 + 3 * 64, 64 + 3 * 64 + 48];
  section(file, 1, { type: 0x6ffffffe, offset: need, link: 2, info: 1 });
  section(file, 2, { type: 3, offset: text, link: 0, info: 0 });
  file.writeUInt16LE(2, need + 2);
  file.writeUInt32LE(1, need + 4);
  file.writeUInt32LE(16, need + 8);
  file.writeUInt32LE(11, need + 16 + 8);
  file.writeUInt32LE(16, need + 16 + 12);
  file.writeUInt32LE(21, need + 32 + 8);
  names.copy(file, text);
  return file;
}

function section(file, index, { type, offset, link, info }) {
  const at = 64 + index * 64;
  file.writeUInt32LE(type, at + 4);
  file.writeBigUInt64LE(BigInt(offset), at + 24);
  file.writeUInt32LE(link, at + 40);
  file.writeUInt32LE(info, at + 44);
}

test('the versions that a program needs are read by library, and 2.28 is newer than 2.9', () => {
  const needs = readVersionNeeds(elfWithNeeds());
  assert.deepEqual([...needs], [['libc.so.6', ['GLIBC_2.9', 'GLIBC_2.28']]]);
  assert.equal(highestVersion(needs, 'GLIBC'), '2.28');
  assert.equal(highestVersion(needs, 'GLIBCXX'), null);
  assert.ok(compareVersions('2.9', '2.28') < 0);
});

test('another file is rejected', () => {
  assert.throws(() => readVersionNeeds(Buffer.from('#!/bin/sh\n')), /not a 64-bit little-endian ELF file/);
});

test('the Node.js that Floe downloads needs glibc 2.28', (t) => {
  const isOwn = process.platform === 'linux' && process.version === `v${RUNTIME}`;
  if (!isOwn) return t.skip(`it runs on ${process.platform} with Node.js ${process.version}, not ${RUNTIME}`);
  assert.equal(highestVersion(readVersionNeeds(readFileSync(process.execPath)), 'GLIBC'), '2.28');
});
