// The bill of materials of a release, CycloneDX 1.6: https://cyclonedx.org/docs/1.6/json/
import { RUNTIME, RUNTIME_INTEGRITY, RUNTIME_PACKAGES } from '../setup.mjs';
import { hashOf } from './cache.mjs';
import { readPins } from './debian.mjs';
import { listDirectPackages, listRuntimePackages } from './lockfile.mjs';
import { PLATFORMS } from './node-runtime.mjs';
import { WORKSPACES } from './npm-package.mjs';

/**
 * The npm packages that are bundled, from package-lock.json, and what the images and the offline bundles add to them.
 *
 * @param {{ version: string, commit: string, time: number }} release
 * @returns {string} JSON; the same for each build of a commit
 */
export function createBillOfMaterials({ version, commit, time }) {
  const packages = listRuntimePackages(WORKSPACES);
  const urlOf = new Map(packages.map((each) => [each.path, packageUrl(each)]));
  const root = `pkg:npm/floe@${version}`;
  const direct = listDirectPackages(WORKSPACES).map((path) => urlOf.get(path));
  const system = [...describeRuntimes(), ...describeLibraries()];
  const byUrl = new Map(packages.map((each) => [urlOf.get(each.path), describePackage(each, urlOf)]));
  const edges = [
    { ref: root, dependsOn: unique([...direct, ...system.map((each) => each['bom-ref'])]) },
    ...[...byUrl].map(([ref, { dependsOn }]) => ({ ref, dependsOn: unique(dependsOn) })),
    ...system.map((each) => ({ ref: each['bom-ref'], dependsOn: [] })),
  ];
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(`floe ${version} ${commit}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': root,
        name: 'floe',
        version,
        licenses: [{ expression: 'Apache-2.0' }],
        purl: root,
      },
    },
    components: [...[...byUrl.values()].map(({ component }) => component), ...system],
    dependencies: edges,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function describePackage({ path, name, version, license, integrity, dependencies }, urlOf) {
  const url = urlOf.get(path);
  const component = { type: 'library', 'bom-ref': url, name, version, purl: url };
  if (license !== 'NOASSERTION') component.licenses = [{ expression: license }];
  if (integrity !== '') component.hashes = [sha512Of(integrity)];
  return { component, dependsOn: dependencies.map((each) => urlOf.get(each)) };
}

function describeRuntimes() {
  return PLATFORMS.map(({ name, architecture }) => {
    const url = `pkg:npm/${RUNTIME_PACKAGES[name]}@${RUNTIME}`;
    return {
      type: 'platform',
      'bom-ref': url,
      name: 'node',
      version: RUNTIME,
      description: `Node.js for ${architecture}, in the container image and the offline bundle`,
      hashes: [sha512Of(RUNTIME_INTEGRITY[RUNTIME_PACKAGES[name]])],
      licenses: [{ expression: 'MIT' }],
      purl: url,
    };
  });
}

function describeLibraries() {
  return readPins().packages.map(({ name, version, architecture, sha256 }) => {
    const url = `pkg:deb/debian/${name.replaceAll('+', '%2B')}@${encodeURIComponent(version)}?arch=${architecture}`;
    return {
      type: 'library',
      'bom-ref': url,
      name,
      version,
      hashes: [{ alg: 'SHA-256', content: sha256 }],
      purl: url,
    };
  });
}

/** https://github.com/package-url/purl-spec; the scope of an npm package is encoded. */
function packageUrl({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function sha512Of(integrity) {
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return { alg: 'SHA-512', content };
}

/** A UUID of version 8 (RFC 9562): its bits are those of a hash. */
function uuidOf(text) {
  const hash = hashOf(text);
  const variant = '89ab'[Number.parseInt(hash[16], 16) % 4];
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function unique(list) {
  return [...new Set(list)].sort();
}
