import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Names that `npm ci` would not find: it refuses a lockfile that lacks one, also of another platform's package. */
function missing(packages) {
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placesOf(path, name).some((place) => Object.hasOwn(packages, place)))
      .map((name) => `${path} wants ${name}`),
  );
}

/** Where Node would look for a package, from the inside out. */
function placesOf(path, name) {
  const places = [];
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    places.push(`${at === '' ? '' : `${at}/`}node_modules/${name}`);
    if (at === '') return places;
    if (!at.includes('/node_modules/')) {
      places.push(`node_modules/${name}`);
      return places;
    }
  }
}

for (const name of ['agents', 'generators', 'sdks'])
  suite(`clients/${name}/package-lock.json`, () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'clients', name, 'package-lock.json'), 'utf8'));

    test('every package that another one wants is in it, whatever the platform', () => {
      assert.deepEqual(missing(packages), []);
    });

    test('it names no registry', () => {
      assert.deepEqual(
        Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined),
        [],
      );
    });
  });
