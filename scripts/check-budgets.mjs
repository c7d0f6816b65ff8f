// Budgets: a file of 300 lines, a function of 60. An exception carries its reason in the file: a line
// `// budget: <reason>` above the function or at the top of the file.
import { readFileSync } from 'node:fs';
import { sources } from './sources.mjs';
import { functionsOf } from './syntax.mjs';

const FILE_LINES = 300;
const FUNCTION_LINES = 60;
const TEST_FILE_LINES = 600;

/** Faults of files, each with its path and text. */
export function check(files) {
  return files.flatMap(({ path, text }) => faultsOf(path, text));
}

function faultsOf(path, text) {
  const faults = [];
  const lines = text.split('\n');
  const isTest = /\.test\.ts$|\.suite\.ts$/.test(path);
  const excused = lines.slice(0, 12).some((line) => line.includes('// budget:'));
  const limit = isTest ? TEST_FILE_LINES : FILE_LINES;
  if (lines.length - 1 > limit && !excused)
    faults.push(`${path}: ${lines.length - 1} lines (budget ${limit}); split it`);
  // Tests hold their cases in one callback, and browser tests their steps.
  if (isTest || path.endsWith('.browser.ts')) return faults;
  for (const { name, from, to } of functionsOf(path, text)) {
    const length = to - from + 1;
    const above = lines.slice(Math.max(0, from - 7), from - 1);
    if (length > FUNCTION_LINES && !above.some((line) => line.includes('// budget:')))
      faults.push(`${path}:${from}: ${name} has ${length} lines (budget ${FUNCTION_LINES}); split it`);
  }
  return faults;
}

if (process.argv[1]?.endsWith('check-budgets.mjs')) {
  const faults = check(sources().map((path) => ({ path, text: readFileSync(path, 'utf8') })));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(faults.length === 0 ? 0 : 1);
}
