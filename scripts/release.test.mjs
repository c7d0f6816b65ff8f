// Tier: artifacts. Needs the built release.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { hashOf } from './release/cache.mjs';
import { artifact, BUILDS, VERSION } from './release/test/artifacts.mjs';
import { root } from './setup.mjs';

test('two builds of one commit have the same bytes', () => {
  const [first, second] = BUILDS.map((dir) => readFileSync(join(dir, 'SHA256SUMS'), 'utf8'));
  assert.equal(BUILDS.length, 2);
  assert.equal(first, second);
});

test('SHA256SUMS names every artifact with its hash', () => {
  const [dir] = BUILDS;
  const names = readdirSync(dir).filter((name) => name !== 'SHA256SUMS');
  const sums = names.sort().map((name) => `${hashOf(readFileSync(join(dir, name)))}  ${name}\n`);
  assert.equal(readFileSync(join(dir, 'SHA256SUMS'), 'utf8'), sums.join(''));
  for (const name of [`floe-${VERSION}.tgz`, `floe-${VERSION}-image-arm64.oci.tar`])
    assert.ok(names.includes(name));
});

test('no artifact contains a path of the machine that built it', () => {
  const places = [root, process.env.HOME].filter((place) => place !== undefined && place.length > 4);
  for (const name of [`floe-${VERSION}.tgz`, `floe-sdk-${VERSION}.tgz`, `floe_sdk-${VERSION}.tar.gz`]) {
    const content = gunzipSync(readFileSync(artifact(name)));
    for (const place of places) assert.ok(!content.includes(`${place}/`), `${name} contains ${place}`);
  }
});
