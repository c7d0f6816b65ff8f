// The programs that check deploy/: nginx and Prometheus of the system, helm and kubeconform built from their Go modules
// into .runtime/. Each has an environment variable that names another one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../setup.mjs';

const PACKAGES = { nginx: 'nginx-light', prometheus: 'prometheus', promtool: 'prometheus' };
const MODULES = {
  helm: ['helm.sh/helm/v3/cmd/helm', 'v3.22.0'],
  kubeconform: ['github.com/yannh/kubeconform/cmd/kubeconform', 'v0.8.0'],
};
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin'];

/**
 * Paths of nginx, prometheus, promtool, helm and kubeconform. Installs the ones that are missing: with apt-get as root,
 * and with `go install`.
 *
 * @throws Error that names what is missing and how to get it
 */
export function ensurePrograms() {
  installPackages();
  const system = Object.keys(PACKAGES).map((name) => [name, findProgram(name) ?? fail(name)]);
  const built = Object.keys(MODULES).map((name) => [name, buildProgram(name)]);
  return Object.fromEntries([...system, ...built]);
}

function installPackages() {
  const missing = Object.keys(PACKAGES).filter((name) => findProgram(name) === null);
  if (missing.length === 0 || process.getuid?.() !== 0 || findProgram('apt-get') === null) return;
  const packages = [...new Set(missing.map((name) => PACKAGES[name]))];
  process.stderr.write(`floe: installing ${packages.join(' and ')} (apt-get)\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
}

/** Path of a program: of its variable, such as FLOE_HELM, else of the system; null when there is none. */
function findProgram(name) {
  const named = process.env[`FLOE_${name.toUpperCase()}`];
  if (named) return named;
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** The pinned version, also where the system has another one: the output of helm differs between versions. */
function buildProgram(name) {
  const named = process.env[`FLOE_${name.toUpperCase()}`];
  if (named) return named;
  const [module, version] = MODULES[name];
  const directory = join(root, '.runtime', 'deploy', `${name}-${version}`);
  const path = join(directory, name);
  if (existsSync(path)) return path;
  mkdirSync(directory, { recursive: true });
  process.stderr.write(`floe: building ${name} ${version} into .runtime/ (go install, once)\n`);
  const env = { ...process.env, GOBIN: directory, GOTOOLCHAIN: 'local' };
  const done = spawnSync('go', ['install', `${module}@${version}`], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (done.status !== 0)
    throw new Error(
      `${name} ${version} could not be built. Install Go 1.26 or newer, or set FLOE_${name.toUpperCase()}. ${done.error?.message ?? done.stderr}`,
    );
  return path;
}

function fail(name) {
  throw new Error(
    `${name} is missing. Install the Debian package ${PACKAGES[name]}, or set FLOE_${name.toUpperCase()}.`,
  );
}
