// The pages of the documentation and what is read from them: code blocks, headings and links.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every Markdown file below a directory, sorted; none when the directory does not exist. */
export function markdownFiles(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return markdownFiles(path);
      return entry.name.endsWith('.md') ? [path] : [];
    })
    .sort();
}

/**
 * The fenced code blocks of a page: `line` is that of the first line of code, `language` the first word behind the fence,
 * `info` what follows it, `notRun` the reason in a comment directly above, or null.
 */
export function codeBlocksOf(text) {
  const lines = text.split('\n');
  const blocks = [];
  let open = null;
  for (const [index, line] of lines.entries()) {
    const fence = /^(\s*)(```+|~~~+)(.*)$/.exec(line);
    if (open === null && fence !== null) {
      const [language = '', ...info] = fence[3].trim().split(/\s+/);
      const notRun = /^\s*<!-- not run: (.+?) -->\s*$/.exec(lines[index - 1] ?? '')?.[1] ?? null;
      const follows = blocks.at(-1)?.endsAt === lastTextBefore(lines, index);
      open = { line: index + 2, language, info: info.join(' '), notRun, follows, fence, code: [] };
    } else if (open !== null && fence !== null && closes(open.fence, fence)) {
      const { fence: opened, code, ...block } = open;
      const indent = opened[1].length;
      blocks.push({ ...block, code: code.map((row) => row.slice(indent)).join('\n'), endsAt: index });
      open = null;
    } else if (open !== null) open.code.push(line);
  }
  return blocks;
}

/** Whether a fence ends a block that `opened` began. */
function closes(opened, fence) {
  return fence[3].trim() === '' && fence[2].startsWith(opened[2]);
}

/** Index of the last line above `index` that is not empty. */
function lastTextBefore(lines, index) {
  let at = index - 1;
  while (at >= 0 && lines[at].trim() === '') at -= 1;
  return at;
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(text) {
  const seen = new Map();
  return withoutCode(text)
    .split('\n')
    .filter((line) => /^#{1,6} /.test(line))
    .map((line) => {
      const slug = line
        .replace(/^#+ /, '')
        .replace(/<!--.*?-->/g, '')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    });
}

/** Targets of links, without those in code. */
export function linksOf(text) {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
}

function withoutCode(text) {
  return text.replace(/^(\s*)(```+|~~~+)[^\n]*\n[\s\S]*?^\s*\2\s*$/gm, '');
}

/** The pages whose code blocks are checked: README.md, the pages that belong to no section, and everything in the sections. */
export function documentationPages() {
  const inSections = markdownFiles('docs').filter((path) => path.split('/').length > 2);
  const others = ['README.md', 'docs/README.md', 'docs/benchmarks.md', 'docs/glossary.md'];
  return [...others, ...inSections].map((path) => ({
    path,
    text: readFileSync(path, 'utf8'),
  }));
}
