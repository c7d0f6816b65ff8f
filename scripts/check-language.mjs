// Phrases that Floe does not use, in the documentation and in every text of the product, each with what to write
// instead. Only phrases that are never right are listed: a word with a correct use is left to readers.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSourceFiles } from './source-files.mjs';
import { parse, walk } from './syntax.mjs';

const PHRASES = [
  [/\bof late\b|\blately\b/i, '"recently", or the time range'],
  [/\banew\b/i, '"again"'],
  [/\bwhoever\b|\bwhomever\b/i, 'the role: the caller, a member, an operator'],
  [/\bnobody\b|\bsomebody\b/i, '"no one", or the role: no member, an operator'],
  [/\b(?:is|are|was|were|be|been|being|gets?) told\b/i, '"is notified", "receives" or "is reported"'],
  [/\btold (?:of|apart|from|by)\b/i, '"notified of", "distinguished from"'],
  [
    /\bstands? (?:in|here|there|on|at|behind|beside) (?:the|a|an|its|it|this|that|for)\b/i,
    '"is in", "is listed in", "is defined in"',
  ],
  [
    /\bgoes on(?= (?:with|as|when|while|until)\b|[.,;:])|\bgo on(?= (?:with|as|when|while|until)\b|[.,;:])/i,
    '"continues"',
  ],
  [
    /\b(?:starts?|ends?|stops?|closes?|opens?|returns?|happens?|renews?|runs?|heals?|recovers?|goes|comes) by itself\b/i,
    '"automatically"',
  ],
  [/\bholds? from now on\b/i, '"applies"'],
  [/\bone a line\b/i, '"one per line"'],
  [/\bsince just now\b/i, '"just now"'],
  [/\bfor good\b/i, '"permanently"'],
  [/\bcame by\b|\bcomes by\b/i, '"received via"'],
  [/\bhad to be asked\b|\bwent past\b/i, '"misses", "bypassed"'],
  [/\bneeds you\b/i, '"needs attention"'],
  [/\bmade anew\b|\bstarts? over anew\b/i, '"created again"'],
  [/\b(?:hears?|heard) (?:of|nothing)\b/i, '"learns of", "receives nothing"'],
  [/\bthe house\b/i, '"the architecture"'],
];

/** The files whose prose readers see. Decisions are dated records. */
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

function listPages(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return listPages(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** The prose of a page: code, commands and addresses are blanked, lines keep their numbers. */
function listProse(text) {
  const blank = (match) => match.replace(/[^\n]/g, ' ');
  const prose = text
    .replace(/^(`{3,}|~{3,}).*?^\1/gms, blank)
    .replace(/<!--.*?-->/gs, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)]*\)/g, blank);
  return prose.split('\n').map((line, index) => ({ line: index + 1, text: line }));
}

/** The texts of a source file: strings, templates and text of JSX with at least one space. */
function listTexts(path, source) {
  const found = [];
  const add = (start, text) => {
    if (text.includes(' ')) found.push({ line: source.slice(0, start).split('\n').length, text });
  };
  walk(parse(path, source), (node) => {
    if (node.type === 'Literal' && typeof node.value === 'string') add(node.start, node.value);
    if (node.type === 'TemplateElement') add(node.start, node.value.cooked ?? '');
    if (node.type === 'JSXText') add(node.start, node.value);
  });
  return found;
}

/**
 * @param {{ path: string, text: string }[]} files pages of Markdown and sources
 * @returns {string[]} one line per phrase: where it is and what to write instead
 */
export function checkLanguage(files) {
  return files.flatMap(({ path, text }) =>
    (path.endsWith('.md') ? listProse(text) : listTexts(path, text)).flatMap((part) =>
      PHRASES.flatMap(([phrase, better]) => {
        const found = phrase.exec(part.text);
        return found ? [`${path}:${part.line}: "${found[0]}": write ${better}`] : [];
      }),
    ),
  );
}

/** Tests and the imitations of other programs are not checked. */
const isProduct = (path) =>
  /\/src\//.test(path) && !/\/test\/|\.(?:test|suite|browser)\.tsx?$|^packages\/testkit\//.test(path);

if (import.meta.main) {
  const paths = [...PAGES, ...listPages('docs'), ...listSourceFiles().filter(isProduct)];
  const faults = checkLanguage(paths.map((path) => ({ path, text: readFileSync(path, 'utf8') })));
  for (const fault of faults) console.error(fault);
  console.log(`language: ${paths.length} files, ${faults.length} faults`);
  process.exit(faults.length === 0 ? 0 : 1);
}
