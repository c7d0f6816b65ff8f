// Budgets: a file of 300 lines, a function of 60, no `any`. An exception carries its reason in the file:
// a line `// budget: <reason>` above the function or at the top of the file.
import { readFileSync } from 'node:fs';
import { sources } from './sources.mjs';

const FILE_LINES = 300;
const FUNCTION_LINES = 60;
const TEST_FILE_LINES = 600;
const faults = [];

for (const path of sources()) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const isTest = /\.test\.ts$|\.suite\.ts$/.test(path);
  const excused = lines.slice(0, 12).some((line) => line.includes('// budget:'));
  const limit = isTest ? TEST_FILE_LINES : FILE_LINES;
  if (lines.length - 1 > limit && !excused)
    faults.push(`${path}: ${lines.length - 1} lines (budget ${limit}); split it`);
  if (isTest) continue;
  for (const { name, from, to } of functions(lines)) {
    const length = to - from + 1;
    if (
      length > FUNCTION_LINES &&
      !lines.slice(Math.max(0, from - 6), from).some((line) => line.includes('// budget:'))
    )
      faults.push(`${path}:${from + 1}: ${name} has ${length} lines (budget ${FUNCTION_LINES}); split it`);
  }
}

/** Functions and methods by indentation: the formatter guarantees the closing brace's column. */
function functions(lines) {
  const found = [];
  lines.forEach((line, from) => {
    const head =
      /^(\s*)(?:export\s+)?(?:async\s+)?(?:function\*?\s+(\w+)|(?:static\s+|private\s+|override\s+|async\s+)*(?:get\s+|set\s+)?\*?([#\w]+)\s*(?:<[^>]*>)?\([^;]*$)/.exec(
        line,
      );
    if (!head || /^\s*(?:if|for|while|switch|return|catch|await|else|new|throw)\b/.test(line)) return;
    if (!/\{\s*$/.test(line) && !/\($/.test(line)) return;
    const close = `${head[1]}}`;
    const to = lines.findIndex(
      (other, index) =>
        index > from && (other === close || other.startsWith(`${close},`) || other.startsWith(`${close};`)),
    );
    if (to > 0) found.push({ name: head[2] ?? head[3], from, to });
  });
  return found;
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exit(faults.length === 0 ? 0 : 1);
