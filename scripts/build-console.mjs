// Builds the console into packages/console/dist: hashed names, packed beforehand, the same bytes from the same
// sources. Does nothing when the sources have not changed; `--force` builds anyway. Runs on the project's Node.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'packages/console');
const outAt = process.argv.indexOf('--out');
/** Elsewhere with `--out <dir>`: to compare two builds. */
const dist = outAt === -1 ? join(home, 'dist') : process.argv[outAt + 1];
const stampFile = join(dist, '.stamp');
/** What the first page may weigh, gzip: HTML, its scripts and styles (design: console, P1). */
const FIRST_PAGE_BYTES = 200 * 1024;
const PACKED = /\.(?:js|css|html|svg|json)$/;

/** Hash of everything a build depends on. */
function stampOf() {
  const hash = createHash('sha256');
  const inputs = [
    ...filesBelow(join(home, 'src')).filter((path) => !/\.test\.tsx?$/.test(path)),
    ...filesBelow(join(home, 'public')),
    ...filesBelow(join(root, 'packages/contract/src')).filter((path) => !path.includes('.test.')),
    ...['index.html', 'vite.config.ts', 'package.json'].map((name) => join(home, name)),
    join(root, 'package-lock.json'),
    fileURLToPath(import.meta.url),
  ];
  for (const path of inputs.sort()) hash.update(relative(root, path)).update('\0').update(readFileSync(path));
  return hash.digest('hex');
}

function filesBelow(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** True when the built files are those of the sources. */
export function isBuilt() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stampOf();
}

/** Builds unless that was done. Throws when the build fails or the first page is too heavy. */
export async function buildConsole({ force = false } = {}) {
  if (!force && isBuilt()) return;
  const stamp = stampOf();
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    root: home,
    configFile: join(home, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: dist },
  });
  const first = firstPage();
  pack();
  const bytes = first.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);
  if (bytes > FIRST_PAGE_BYTES)
    throw new Error(
      `The console's first page is ${kb(bytes)} gzip, over ${kb(FIRST_PAGE_BYTES)}. Load what it does not need later.`,
    );
  writeFileSync(stampFile, stamp);
  process.stderr.write(`floe: built the console, first page ${kb(bytes)} gzip in ${first.length} files\n`);
}

/** What is fetched before the model page shows: the entry, the page's own code, and all they import at once. */
function firstPage() {
  const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
  const found = new Set([join(dist, 'index.html'), join(dist, 'theme.js')]);
  const visit = (name) => {
    const { file, css = [], imports = [] } = manifest[name];
    if (found.has(join(dist, file))) return;
    found.add(join(dist, file));
    for (const style of css) found.add(join(dist, style));
    for (const below of imports) visit(below);
  };
  visit('index.html');
  visit('src/pages/requests/requests-page.tsx');
  return [...found];
}

/** Brotli and gzip beside each file, so that the server packs nothing; the time in gzip's head is left 0. */
function pack() {
  for (const path of filesBelow(dist)) {
    if (!PACKED.test(path) || path.endsWith('manifest.json')) continue;
    const plain = readFileSync(path);
    if (plain.length < 512) continue;
    writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    writeFileSync(`${path}.br`, brotliCompressSync(plain, options));
  }
}

function kb(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildConsole({ force: process.argv.includes('--force') });
  } catch (error) {
    process.stderr.write(`floe: the console could not be built\n${error?.stack ?? error}\n`);
    process.exit(1);
  }
}
