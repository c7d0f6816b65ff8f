// Every path a document names exists; every relative link leads somewhere.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...folder('docs'),
  ...folder('decisions'),
  ...folder('.github'),
].filter((path) => existsSync(path));
const faults = [];

function folder(name) {
  if (!existsSync(name)) return [];
  return readdirSync(name)
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(name, file));
}

for (const path of documents) {
  const text = readFileSync(path, 'utf8');
  for (const [, target] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const file = normalize(join(dirname(path), target));
    if (!existsSync(file)) faults.push(`${path}: link to ${target}, which is not there`);
  }
  for (const [, named] of text.matchAll(/`((?:packages|scripts|docs|decisions|bench|deploy)\/[\w./-]*\w)`/g))
    if (!existsSync(named)) faults.push(`${path}: names ${named}, which is not there`);
}
for (const file of readdirSync('decisions').filter((name) => name !== 'README.md'))
  if (!/^\d{4}-[a-z0-9-]+\.md$/.test(file) || !statSync(join('decisions', file)).isFile())
    faults.push(`decisions/${file}: name it NNNN-title.md`);

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exit(faults.length === 0 ? 0 : 1);
