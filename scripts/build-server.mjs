// Builds the server into packages/server/dist: a few files instead of a thousand, so that a process starts in a third of
// the CPU (decisions/0140). Does nothing when the sources have not changed; `--force` builds anyway.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listSourceFiles } from './source-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'packages/server');
const dist = join(home, 'dist');
const stampFile = join(dist, '.stamp');
/** Not bundled: it reads files beside its own code. */
export const EXTERNAL = [/^node:/, 'web-tree-sitter'];
const PACKAGES = ['server', 'contract', 'wire', 'conditions', 'relay'];
/** The built program; it does what `packages/server/bin/server.mjs` does. */
export const SERVER = join(dist, 'server.js');

/** Hash of everything a build depends on. */
function stampOf() {
  const hash = createHash('sha256');
  const code = PACKAGES.flatMap((name) => listSourceFiles(`packages/${name}/src`, ['.ts', '.sql', '.json']));
  const inputs = code.filter((path) => !/\.(?:test|suite)\.ts$/.test(path)).map((path) => join(root, path));
  inputs.push(join(home, 'bin/server.mjs'), join(root, 'package-lock.json'), fileURLToPath(import.meta.url));
  for (const path of inputs.sort()) hash.update(relative(root, path)).update('\0').update(readFileSync(path));
  return hash.digest('hex');
}

/** Builds unless that was done. Throws when the build fails. */
export async function buildServer({ force = false } = {}) {
  const stamp = stampOf();
  if (!force && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  await bundleServer(dist);
  writeFileSync(stampFile, stamp);
}

/** Builds the server into the directory `to`, whose content is replaced. Throws when the build fails. */
export async function bundleServer(to) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: { server: join(home, 'bin/server.mjs') },
    platform: 'node',
    external: EXTERNAL,
    logLevel: 'silent',
    plugins: [THREADS],
  });
  rmSync(to, { recursive: true, force: true });
  // Names and comments stay, and each part says which file it is of: a stack can be read without a source map.
  await bundle.write({ dir: to, format: 'esm', chunkFileNames: '[name].js' });
  await bundle.close();
  escapeWideCharacters(to);
  cpSync(join(home, 'src/store/migrations/baseline'), join(to, 'baseline'), { recursive: true });
  writeFileSync(join(to, 'package.json'), '{ "type": "module" }\n');
}

/** The code of a thread is named by its address beside the file that starts it; here it is a file of its own. */
const THREADS = {
  name: 'threads',
  transform(code, id) {
    if (!id.startsWith(root) || !/new URL\('\.\/[\w-]+\.ts', import\.meta\.url\)/.test(code)) return null;
    return code.replace(/new URL\('(\.\/([\w-]+)\.ts)', import\.meta\.url\)/g, (_, path, name) => {
      this.emitFile({ type: 'chunk', id: join(dirname(id), path), fileName: `${name}.js` });
      return `new URL('./${name}.js', import.meta.url)`;
    });
  },
};

/**
 * Writes characters above U+00FF as escapes. V8 keeps the source of a module in memory. With one such character, it takes
 * two bytes for each character of the module: 7 MB more for a server.
 */
function escapeWideCharacters(directory) {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith('.js')) continue;
    const path = join(directory, name);
    const code = readFileSync(path, 'utf8');
    if (/\braw`[^`]*[^\0-\xff]/.test(code)) throw new Error(`${name}: an escape would change a raw template`);
    const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    writeFileSync(path, code.replace(/[^\0-\xff]/g, toEscape));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildServer({ force: process.argv.includes('--force') });
  } catch (error) {
    process.stderr.write(`floe: the server could not be built\n${error?.stack ?? error}\n`);
    process.exit(1);
  }
}
