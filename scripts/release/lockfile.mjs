// What package-lock.json says about the packages that a release contains.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';

/**
 * @typedef {object} LockedPackage
 * @property {string} path in node_modules, as package-lock.json names it
 * @property {string} name
 * @property {string} version
 * @property {string} license SPDX expression
 * @property {string} integrity `sha512-…` of the registry's tarball
 * @property {string[]} dependencies paths of the packages that it needs
 */

/** The packages of package-lock.json by path. */
function readLockedPackages() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

/**
 * Every npm package that the named workspaces or packages need at run time, sorted by path. The packages of this
 * repository themselves are not in it.
 *
 * @param {string[]} starts paths in package-lock.json, such as `packages/server`
 * @returns {LockedPackage[]}
 */
export function listRuntimePackages(starts) {
  return [...walkPackages(starts).values()]
    .filter(({ path }) => isInstalled(path))
    .map(({ path, own, dependencies }) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: own.version,
      license: own.license ?? 'NOASSERTION',
      integrity: own.integrity ?? '',
      dependencies: dependencies.filter(isInstalled).sort(),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Paths of the npm packages that the code of the workspaces imports, sorted. */
export function listDirectPackages(starts) {
  const own = [...walkPackages(starts).values()].filter(({ path }) => !isInstalled(path));
  return [...new Set(own.flatMap(({ dependencies }) => dependencies.filter(isInstalled)))].sort();
}

function isInstalled(path) {
  return path.startsWith('node_modules/');
}

/** The packages that can be reached from the starts, by path. A link leads to the workspace that it names. */
function walkPackages(starts) {
  const packages = readLockedPackages();
  const found = new Map();
  const visit = (path) => {
    if (found.has(path)) return;
    const own = packages[path];
    const dependencies = runtimeNames(own).flatMap(([name, optional]) => {
      const at = resolvePackage(packages, path, name);
      if (at === null && !optional) throw new Error(`package-lock.json has no ${name}, which ${path} needs`);
      return at === null ? [] : [packages[at].link ? packages[at].resolved : at];
    });
    found.set(path, { path, own, dependencies });
    for (const each of dependencies) visit(each);
  };
  for (const start of starts) visit(start);
  return found;
}

/** Names of the packages that one needs, each with whether it works without. */
function runtimeNames({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, ...own }) {
  const isOptionalPeer = (name) => own.peerDependenciesMeta?.[name]?.optional === true;
  const names = new Map();
  for (const name of Object.keys(peerDependencies)) if (!isOptionalPeer(name)) names.set(name, false);
  for (const name of Object.keys(dependencies)) names.set(name, false);
  for (const name of Object.keys(optionalDependencies)) names.set(name, true);
  return [...names];
}

/** Where Node.js finds a package from another one: beside it, then in each directory above. */
function resolvePackage(packages, from, name) {
  let place = from;
  while (true) {
    const path = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`;
    if (packages[path]) return path;
    if (place === '') return null;
    const above = place.lastIndexOf('/node_modules/');
    place = above === -1 ? '' : place.slice(0, above);
  }
}

/** The license texts of packages in one document; most licenses ask that copies carry them. */
export function formatLicenseTexts(packages) {
  const parts = packages.map(({ path, name, version, license }) => {
    const dir = join(root, path);
    const names = existsSync(dir) ? readdirSync(dir).filter((file) => /^licen[cs]e|^notice/i.test(file)) : [];
    const texts = names.sort().map((file) => readFileSync(join(dir, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  return `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
