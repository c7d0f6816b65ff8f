// The build of `npm run release`, on the pinned Node.js. Its parts are the files beside this one.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from '../setup.mjs';
import { buildBundle } from './bundle.mjs';
import { hashOf } from './cache.mjs';
import { buildAppLayer, buildBaseLayer, buildImage } from './image.mjs';
import { loadNodeRuntime, PLATFORMS } from './node-runtime.mjs';
import { buildNpmPackage, listPackageEntries } from './npm-package.mjs';
import { createProvenance } from './provenance.mjs';
import { createBillOfMaterials } from './sbom.mjs';
import { buildPythonSdk, buildTypeScriptSdk } from './sdk-packages.mjs';
import { below, compressTar } from './tar.mjs';

const toAt = process.argv.indexOf('--to');
const out = toAt === -1 ? join(root, 'dist/release') : resolve(process.argv[toAt + 1]);

/** Files with a version of their own. All must have the one of package.json. */
const VERSIONED = [
  'packages/server/src/main.ts',
  'packages/sdk/package.json',
  'packages/sdk/src/beat-request.ts',
  'packages/cli/package.json',
  'sdk-python/pyproject.toml',
  'sdk-python/src/floe/_call.py',
];

/** The first version that a file names. */
function readVersion(path) {
  const text = readFileSync(join(root, path), 'utf8');
  return /version(?:__)?"?\s*[:=]\s*["'](\d+\.\d+\.\d+[^"']*)["']/i.exec(text)?.[1];
}

/** What every artifact says about itself. */
function describeRelease() {
  const version = readVersion('package.json');
  for (const path of VERSIONED) {
    const other = readVersion(path);
    if (other !== version) throw new Error(`${path} has version ${other}, package.json has ${version}`);
  }
  const time = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'));
  const hasChanges = git('status', '--porcelain') !== '';
  if (hasChanges) say('the work tree has changes that are not committed; the provenance file records that');
  return { version, commit: git('rev-parse', 'HEAD'), time, hasChanges };
}

function git(...args) {
  const done = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr ?? done.error}`);
  return done.stdout.trim();
}

function say(text) {
  process.stderr.write(`floe: ${text}\n`);
}

async function build(work) {
  const release = describeRelease();
  const { version, time } = release;
  const write = (name, data) => writeFileSync(join(out, name), data);

  say('building the npm packages');
  const packageDir = join(work, 'package');
  await buildNpmPackage(packageDir, { version, work });
  const floe = listPackageEntries(packageDir);
  write(`floe-${version}.tgz`, await compressTar(below('package', floe), time));
  write(`floe-sdk-${version}.tgz`, await buildTypeScriptSdk(join(work, 'sdk'), time));

  say('building the Python package');
  // The build tool creates its files with the mode of temporary ones.
  for (const name of buildPythonSdk(out, time)) chmodSync(join(out, name), 0o644);

  say('building the container images and the offline bundles');
  const app = await buildAppLayer(floe, time);
  write(`floe-${version}-image-app.tar.gz`, app);
  const images = PLATFORMS.map(async (platform) => {
    const node = loadNodeRuntime(platform.name);
    write(`floe-${version}-${platform.name}.tar.gz`, await buildBundle(platform, { floe, node }, release));
    const base = await buildBaseLayer(platform, node);
    write(`floe-${version}-image-base-${platform.architecture}.tar.gz`, base);
    write(
      `floe-${version}-image-${platform.architecture}.oci.tar`,
      buildImage(platform.architecture, [base, app], release),
    );
  });
  await Promise.all(images);
  write(`floe-${version}.cdx.json`, createBillOfMaterials(release));
  write(`floe-${version}.provenance.json`, createProvenance(release, listSums()));
  const lines = listSums().map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  write('SHA256SUMS', lines.join(''));
}

/** The artifacts written so far. */
function listSums() {
  const names = readdirSync(out).sort();
  return names.map((name) => ({ name, sha256: hashOf(readFileSync(join(out, name))) }));
}

process.umask(0o022);
process.chdir(root);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'floe-release-'));
try {
  await build(work);
  say(`the release is in ${out}`);
} catch (error) {
  say(`the release could not be built\n${error?.stack ?? error}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
