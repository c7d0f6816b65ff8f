// Where a release comes from: an in-toto statement with the SLSA predicate, not signed. The release workflow signs one of
// its own, which also names the builder. https://slsa.dev/spec/v1.0/provenance
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUNTIME, RUNTIME_INTEGRITY, RUNTIME_PACKAGES, root } from '../setup.mjs';
import { hashOf } from './cache.mjs';
import { readPins } from './debian.mjs';
import { PLATFORMS } from './node-runtime.mjs';

/** Committed files that decide which third-party code is in a release. */
const LOCKS = ['package-lock.json', 'scripts/release/debian-packages.json'];

/**
 * @param {{ version: string, commit: string, time: number, hasChanges: boolean }} release
 * @param {{ name: string, sha256: string }[]} artifacts
 * @returns {string} JSON; the same for each build of a commit
 */
export function createProvenance({ version, commit, time, hasChanges }, artifacts) {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: artifacts.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:floe:npm-run-release:v1',
        externalParameters: { command: 'npm run release', version },
        internalParameters: { sourceDateEpoch: time, uncommittedChanges: hasChanges },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          ...LOCKS.map((name) => ({ name, digest: { sha256: hashOf(readFileSync(join(root, name))) } })),
          ...PLATFORMS.map(({ name }) => describeRuntime(RUNTIME_PACKAGES[name])),
          ...readPins().packages.map(({ name, version: each, architecture, sha256 }) => ({
            name: `${name}_${each}_${architecture}.deb`,
            digest: { sha256 },
          })),
        ],
      },
      runDetails: { builder: { id: 'urn:floe:scripts/release.mjs' } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

function describeRuntime(name) {
  const sha512 = Buffer.from(RUNTIME_INTEGRITY[name].replace('sha512-', ''), 'base64').toString('hex');
  return { name: `${name}-${RUNTIME}.tgz`, digest: { sha512 } };
}
