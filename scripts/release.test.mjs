// Tier: artifacts. Needs the built release.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

test('the bill of materials has the required fields of CycloneDX 1.6, and all its references exist', () => {
  const bom = JSON.parse(readFileSync(artifact(`floe-${VERSION}.cdx.json`), 'utf8'));
  assert.deepEqual([bom.bomFormat, bom.specVersion, bom.version], ['CycloneDX', '1.6', 1]);
  assert.match(
    bom.serialNumber,
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  const components = [bom.metadata.component, ...bom.components];
  const refs = components.map((component) => component['bom-ref']);
  assert.equal(new Set(refs).size, refs.length);
  const lengths = { 'SHA-256': 64, 'SHA-512': 128 };
  for (const { type, name, version, purl, hashes = [] } of components) {
    assert.ok(['application', 'library', 'platform'].includes(type), `${name}: ${type}`);
    assert.ok(name && version, `${name} ${version}`);
    assert.match(purl, /^pkg:(?:npm|deb\/debian)\/[^@]+@[^@]+$/);
    for (const { alg, content } of hashes)
      assert.match(content, new RegExp(`^[0-9a-f]{${lengths[alg]}}$`), `${name} ${alg}`);
  }
  assert.deepEqual(bom.dependencies.map(({ ref }) => ref).sort(), [...refs].sort());
  for (const { ref, dependsOn } of bom.dependencies)
    for (const each of dependsOn) assert.ok(refs.includes(each), `${ref} depends on ${each}`);
  for (const name of ['fastify', 'react', 'node', 'libc6'])
    assert.ok(
      bom.components.some((component) => component.name === name),
      name,
    );
  for (const name of ['typescript', 'vite'])
    assert.ok(!bom.components.some((component) => component.name === name), name);
});

test('the provenance names every other artifact with its hash, the commit and the lock file', () => {
  const statement = JSON.parse(readFileSync(artifact(`floe-${VERSION}.provenance.json`), 'utf8'));
  assert.equal(statement._type, 'https://in-toto.io/Statement/v1');
  const own = ['SHA256SUMS', `floe-${VERSION}.provenance.json`];
  const names = readdirSync(BUILDS[0]).filter((name) => !own.includes(name));
  const subjects = names
    .sort()
    .map((name) => ({ name, digest: { sha256: hashOf(readFileSync(artifact(name))) } }));
  assert.deepEqual(statement.subject, subjects);
  const materials = statement.predicate.buildDefinition.resolvedDependencies;
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  assert.deepEqual(materials[0], { name: 'source', digest: { gitCommit: commit } });
  const sha256 = hashOf(readFileSync(join(root, 'package-lock.json')));
  assert.deepEqual(materials[1], { name: 'package-lock.json', digest: { sha256 } });
});
