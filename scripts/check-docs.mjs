// Every path a document names exists; every relative link leads to a file, and to a heading where it names one.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchorsOf, linksOf, markdownFiles } from './doc-pages.mjs';

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...['docs', 'decisions', '.github'].flatMap(markdownFiles),
].filter((path) => existsSync(path));
const faults = [];
const anchors = new Map();

function hasAnchor(file, anchor) {
  if (!anchors.has(file)) anchors.set(file, new Set(anchorsOf(readFileSync(file, 'utf8'))));
  return anchors.get(file).has(anchor);
}

for (const path of documents) {
  const text = readFileSync(path, 'utf8');
  for (const link of linksOf(text)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [target, anchor] = link.split('#');
    const file = target === '' ? path : normalize(join(dirname(path), target));
    if (!existsSync(file)) faults.push(`${path}: link to ${target}, which is not there`);
    else if (anchor && file.endsWith('.md') && !hasAnchor(file, anchor))
      faults.push(`${path}: link to ${link}, but ${file} has no such heading`);
  }
  for (const [, named] of text.matchAll(/`((?:packages|scripts|docs|decisions|bench|deploy)\/[\w./-]*\w)`/g))
    if (!existsSync(named)) faults.push(`${path}: names ${named}, which is not there`);
}
for (const file of readdirSync('decisions').filter((name) => name !== 'README.md'))
  if (!/^\d{4}-[a-z0-9-]+\.md$/.test(file) || !statSync(join('decisions', file)).isFile())
    faults.push(`decisions/${file}: name it NNNN-title.md`);

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exit(faults.length === 0 ? 0 : 1);
