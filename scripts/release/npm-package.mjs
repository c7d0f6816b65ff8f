// The npm package `floe`: server, console and command line, bundled. What cannot be bundled is in its node_modules
// directory, as a bundled dependency: npm installs the package without a registry (decisions/0152).
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleServer, EXTERNAL } from '../build-server.mjs';
import { root } from '../setup.mjs';
import { formatLicenseTexts, listRuntimePackages } from './lockfile.mjs';
import { listEntries } from './tar.mjs';

const TEMPLATES = join(import.meta.dirname, 'package');
const CLI = join(root, 'packages/cli');
/** The workspaces whose code is in the package. */
export const WORKSPACES = ['packages/server', 'packages/cli', 'packages/console'];
/** Packages whose code the bundles load by name at run time. */
const LOADED_BY_NAME = [
  'node_modules/web-tree-sitter',
  'node_modules/tree-sitter-bash',
  'node_modules/@bufbuild/cel',
  'node_modules/@bufbuild/re2',
];
/** Of tree-sitter-bash only the grammar is used; its native module and what that needs are left out. */
const GRAMMAR_ONLY = 'node_modules/tree-sitter-bash';
const NATIVE_ONLY = new Set(['node_modules/node-addon-api', 'node_modules/node-gyp-build']);

/** Files of the package that a shell can start. */
const PROGRAMS = new Set(['bin/floe.mjs', 'bin/floe-hook.mjs']);

/** The files of a built package as entries of an archive. */
export function listPackageEntries(dir) {
  return listEntries(dir).map((entry) => ({ ...entry, mode: PROGRAMS.has(entry.path) ? 0o755 : 0o644 }));
}

/**
 * Writes the package into the directory `to`.
 *
 * @param {string} to
 * @param {{ version: string, work: string }} release `work` is a directory for intermediate files
 * @throws Error when a part does not build
 */
export async function buildNpmPackage(to, { version, work }) {
  await bundleServer(join(to, 'server/dist'));
  await buildCommandLine(to, version);
  buildConsole(join(work, 'console'), join(to, 'console/dist'));
  const vendored = vendorPackages(to);
  copyTemplates(to, { 'server.mjs': 'server/bin/server.mjs', 'README.md': 'README.md' });
  copyFile(join(root, 'LICENSE'), join(to, 'LICENSE'));
  writeFileSync(join(to, 'THIRD-PARTY-LICENSES'), formatLicenseTexts(listRuntimePackages(WORKSPACES)));
  writeJson(join(to, 'package.json'), createManifest(version, vendored));
}

/** The part of the package that the commands `floe` and `floe-hook` need. */
export async function buildCommandLine(to, version) {
  await bundleCommandLine(join(to, 'cli/dist'));
  copyTemplates(to, {
    'floe.mjs': 'bin/floe.mjs',
    'floe-hook.mjs': 'bin/floe-hook.mjs',
    'supported-node.mjs': 'bin/supported-node.mjs',
  });
  writeJson(join(to, 'cli/package.json'), { name: '@floe/cli', version, type: 'module' });
}

function copyTemplates(to, paths) {
  for (const [from, path] of Object.entries(paths)) copyFile(join(TEMPLATES, from), join(to, path));
}

/** The commands, with the packages of this repository that they use. */
async function bundleCommandLine(to) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: {
      main: join(CLI, 'src/main.ts'),
      'hook-main': join(CLI, 'src/hook/main.ts'),
      'hook-compile-cache': join(CLI, 'src/hook/compile-cache.ts'),
      'exit-process': join(CLI, 'src/hook/exit-process.ts'),
    },
    platform: 'node',
    external: EXTERNAL,
    logLevel: 'silent',
  });
  await bundle.write({ dir: to, format: 'esm', chunkFileNames: '[name].js' });
  await bundle.close();
  copyFile(join(CLI, 'src/api/operations.json'), join(to, 'operations.json'));
}

/** In a process of its own: the build reads its output directory from the command line. */
function buildConsole(work, to) {
  const args = [join(root, 'scripts/build-console.mjs'), '--force', '--out', work];
  const built = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the console could not be built:\n${built.stderr}`);
  const isLeftOut = (path) => path.endsWith('.stamp') || path.endsWith('manifest.json');
  cpSync(work, to, { recursive: true, filter: (path) => !isLeftOut(path) });
}

/** Copies the packages that are loaded by name, without types, sources, maps and test data. Returns them. */
function vendorPackages(to) {
  const packages = listRuntimePackages(LOADED_BY_NAME).filter(({ path }) => !NATIVE_ONLY.has(path));
  for (const { path } of packages) {
    if (path.lastIndexOf('node_modules/') > 0)
      throw new Error(`${path} is nested; two versions cannot be vendored`);
    for (const file of listFiles(join(root, path)))
      if (isNeeded(path, file)) copyFile(join(root, path, file), join(to, path, file));
    writeJson(join(to, path, 'package.json'), trimManifest(readJson(join(root, path, 'package.json'))));
  }
  return packages;
}

function isNeeded(path, file) {
  if (/^licen[cs]e/i.test(file)) return true;
  if (path === GRAMMAR_ONLY) return file === 'tree-sitter-bash.wasm';
  // A package.json below that of the package says whether the files beside it are ESM or CommonJS.
  return (
    /\.(?:js|cjs|wasm)$|\/package\.json$/.test(file) && !/(?:^|\/)(?:testdata|debug|src|bin)\//.test(file)
  );
}

/** Without scripts: npm would run those of tree-sitter-bash, which compile. */
function trimManifest({ name, version, license, type, main, exports, dependencies, peerDependencies }) {
  const isVendored = ([each]) => !NATIVE_ONLY.has(`node_modules/${each}`);
  const needed = Object.entries({ ...dependencies, ...peerDependencies }).filter(isVendored);
  return { name, version, license, type, main, exports, dependencies: Object.fromEntries(needed) };
}

function createManifest(version, vendored) {
  const { description, license, repository, engines } = readJson(join(root, 'package.json'));
  return {
    name: 'floe',
    version,
    description,
    license,
    repository,
    type: 'module',
    engines,
    bin: { floe: 'bin/floe.mjs', 'floe-hook': 'bin/floe-hook.mjs' },
    dependencies: Object.fromEntries(vendored.map((each) => [each.name, each.version])),
    bundleDependencies: vendored.map(({ name }) => name),
  };
}

function listFiles(dir) {
  return readdirSync(dir, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(dir, path)).isFile());
}

function copyFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
