// System libraries of the container image, from Debian packages that debian-packages.json pins by version and hash.
// `node scripts/release/debian.mjs --update` pins the current versions of the suite.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, cachedFile, hashOf } from './cache.mjs';

const PINS_FILE = join(import.meta.dirname, 'debian-packages.json');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** gcc-14-base has the license texts of the libraries of GCC. */
const NAMES = ['gcc-14-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];
const ARCHITECTURES = ['amd64', 'arm64'];

/**
 * @typedef {object} DebianPin
 * @property {string} name
 * @property {string} version
 * @property {string} architecture Debian's name of it
 * @property {string} sha256
 */

/** @returns {{ suite: string, date: string, packages: DebianPin[] }} `date` is when the versions were pinned, ISO 8601 */
export function readPins() {
  return JSON.parse(readFileSync(PINS_FILE, 'utf8'));
}

/**
 * Extracts pinned packages of an architecture into the directory `to`.
 *
 * @throws Error when the machine has no apt-get and dpkg-deb, or the archive has no package with the pinned hash
 */
export function extractDebianPackages(architecture, to, names = NAMES) {
  const pins = readPins();
  const isWanted = (pin) => pin.architecture === architecture && names.includes(pin.name);
  for (const pin of pins.packages.filter(isWanted)) {
    const file = cachedFile(
      { name: `${pin.name}:${architecture}`, algorithm: 'sha256', hash: pin.sha256 },
      (dir) => downloadPin(pin, pins, dir),
    );
    run('dpkg-deb', ['-x', file, to]);
    // Where vulnerability scanners look in an image without dpkg.
    mkdirSync(join(to, 'var/lib/dpkg/status.d'), { recursive: true });
    writeFileSync(join(to, 'var/lib/dpkg/status.d', pin.name), run('dpkg-deb', ['-f', file]));
  }
}

/** Path of the downloaded package in `dir`. */
function downloadPin({ name, version, architecture }, { suite }, dir) {
  const wanted = `${name}:${architecture}=${version}`;
  const apt = openApt(`deb [trusted=yes] ${findArchive()} ${suite} main\n`);
  const found = apt(['download', wanted], dir);
  const [file] = readdirSync(dir);
  if (found.status === 0 && file !== undefined) return join(dir, file);
  throw new Error(
    `${wanted} is not in the Debian archive. Check the network, or pin the current versions: node scripts/release/debian.mjs --update`,
  );
}

/**
 * The Debian archive that FLOE_DEBIAN_ARCHIVE names, else the one that this machine uses.
 *
 * @throws Error when there is none
 */
function findArchive() {
  const named = process.env.FLOE_DEBIAN_ARCHIVE;
  if (named) return named;
  const targets = run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  const archive = targets.split('\n').find((uri) => /\/debian\/?$/.test(uri));
  if (!archive)
    throw new Error('This machine uses no Debian archive. Set FLOE_DEBIAN_ARCHIVE to the URL of one.');
  return archive;
}

/** apt-get with a source list, package lists and a state of its own; `download` needs no change of the machine. */
const opened = new Map();
function openApt(sourceList) {
  const known = opened.get(sourceList);
  if (known) return known;
  const home = join(CACHE, `apt-${hashOf(sourceList).slice(0, 16)}`);
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'sources.list'), sourceList);
  writeFileSync(join(home, 'status'), '');
  const settings = {
    'Dir::Etc::SourceList': join(home, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(home, 'lists'),
    'Dir::State::status': join(home, 'status'),
    'Dir::Cache': home,
    'APT::Architecture': 'amd64',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled': 'false',
  };
  const options = [
    ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    ...ARCHITECTURES.flatMap((each) => ['-o', `APT::Architectures::=${each}`]),
  ];
  const apt = (args, cwd) => spawnSync('apt-get', [...options, '-qq', ...args], { cwd, encoding: 'utf8' });
  apt(['update'], home);
  opened.set(sourceList, apt);
  return apt;
}

/** Pins the current versions. The signature of the archive is checked. */
function updatePins(suite) {
  if (!existsSync(KEYRING))
    throw new Error(`${KEYRING} is missing. Install the package debian-archive-keyring.`);
  mkdirSync(CACHE, { recursive: true });
  const apt = openApt(`deb [signed-by=${KEYRING}] ${findArchive()} ${suite} main\n`);
  const dir = mkdtempSync(join(CACHE, 'pins-'));
  const packages = NAMES.flatMap((name) =>
    ARCHITECTURES.map((architecture) => {
      const done = apt(['download', `${name}:${architecture}`], dir);
      if (done.status !== 0) throw new Error(`${name}:${architecture}: ${done.stderr}`);
      const [file] = readdirSync(dir);
      const data = readFileSync(join(dir, file));
      const version = run('dpkg-deb', ['-f', join(dir, file), 'Version']).trim();
      rmSync(join(dir, file));
      return { name, version, architecture, sha256: hashOf(data) };
    }),
  );
  rmSync(dir, { recursive: true });
  const date = `${new Date().toISOString().slice(0, 19)}Z`;
  writeFileSync(PINS_FILE, `${JSON.stringify({ suite, date, packages }, null, 2)}\n`);
}

function run(program, args) {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr ?? done.error}`);
  return done.stdout;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] !== '--update') throw new Error('usage: node scripts/release/debian.mjs --update');
  updatePins('trixie');
}
