// Sentences of README.md, SECURITY.md and the pages below docs/ with a number, "never" or "always" are claims. The test that proves them
// is named in the same block (paragraph, list item, row of a table): <!-- test: packages/x/y.test.ts › name of the test -->.
// A reference that leads nowhere fails. What is not referenced is counted per page; the counts of scripts/claims.json may
// only go down. --record writes lower counts, --list PAGE prints the sentences of a page.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { markdownFiles } from './doc-pages.mjs';

const BASELINE = 'scripts/claims.json';
const REFERENCE = /<!-- test: (\S+) › (.+?) -->/g;

/** Sentences of a page that claim something, each with its line and whether its block names a test. */
export function extractClaims(text) {
  return blocksOf(text).flatMap(({ line, text: block }) => {
    const proven = [...block.matchAll(REFERENCE)].length > 0;
    return sentencesOf(block)
      .filter(isClaim)
      .map((sentence) => ({ line, sentence, proven }));
  });
}

/** References of a page that lead nowhere. `read` gives the text of a file, or null. */
export function findBrokenReferences(text, read) {
  return [...text.matchAll(REFERENCE)]
    .filter(([, path, name]) => !hasTest(read(path), name))
    .map(([whole]) => whole);
}

/** Whether a source has a call of `test` with exactly this name. */
function hasTest(source, name) {
  if (source === null) return false;
  const plain = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return ["'", '"', '`'].some((quote) =>
    new RegExp(`(?:test|it)\\(\\s*${quote}${plain}${quote}`).test(source),
  );
}

/** Paragraphs, list items and rows of tables, without code, headings and generated tables. */
function blocksOf(text) {
  const blocks = [];
  let open = null;
  let skipped = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*(```|~~~)/.exec(line)?.[1];
    if (skipped !== null) {
      if (fence === skipped || (skipped === 'fields' && line === '<!-- end -->')) skipped = null;
      continue;
    }
    skipped = fence ?? (/^<!-- (fields: .*|providers|results: .*|codes) -->$/.test(line) ? 'fields' : null);
    if (skipped !== null || line.trim() === '' || /^(#|\|[-:| ]+\|$)/.test(line)) open = null;
    else if (open === null || /^\s*(?:[-*]|\d+\.) |^\|/.test(line)) {
      open = { line: index + 1, text: line };
      blocks.push(open);
    } else open.text += `\n${line}`;
  }
  return blocks;
}

function sentencesOf(block) {
  const bare = block
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^\s*(?:[-*]|\d+\.) /, '')
    .replace(/`[^`]*`/g, 'x')
    .replace(/\]\([^)]*\)/g, ']');
  return bare.split(/(?<=[.!?:;])\s+|\s\|\s/).map((sentence) => sentence.replace(/\s+/g, ' ').trim());
}

function isClaim(sentence) {
  return /\b(?:never|always)\b/i.test(sentence) || /(?<![\w.-])\d/.test(sentence);
}

function main(args) {
  const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
  const pages = ['README.md', 'SECURITY.md', ...markdownFiles('docs')];
  const before = JSON.parse(read(BASELINE) ?? '{}');
  const counts = {};
  const faults = [];
  for (const page of pages) {
    const text = read(page) ?? '';
    for (const broken of findBrokenReferences(text, read)) faults.push(`${page}: leads nowhere: ${broken}`);
    const open = extractClaims(text).filter(({ proven }) => !proven);
    if (args.includes('--list') && args.includes(page))
      for (const { line, sentence } of open) process.stdout.write(`${page}:${line}: ${sentence}\n`);
    counts[page] = open.length;
    const allowed = before[page] ?? 0;
    if (open.length > allowed && !args.includes('--first'))
      faults.push(
        `${page}: ${open.length} claims name no test, ${allowed} are allowed; --list ${page} shows them`,
      );
    if (open.length < allowed && !args.includes('--record'))
      faults.push(
        `${page}: only ${open.length} claims name no test; run node scripts/check-claims.mjs --record`,
      );
  }
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (args.includes('--record') && faults.length === 0)
    writeFileSync(BASELINE, `${JSON.stringify(counts, null, 2)}\n`);
  for (const [page, count] of Object.entries(counts)) process.stdout.write(`${page}: ${count}\n`);
  return faults.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exit(main(process.argv.slice(2)));
