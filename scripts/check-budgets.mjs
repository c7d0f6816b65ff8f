// Budgets: a file of 300 lines, a function of 60 and of four parameters. An exception carries its reason in the file: a
// line `// budget: <reason>` above the function or at the top of the file.
import { readFileSync } from 'node:fs';
import { listSourceFiles } from './source-files.mjs';
import { listFunctions } from './syntax.mjs';

const FILE_LINES = 300;
const FUNCTION_LINES = 60;
const TEST_FILE_LINES = 600;
const PARAMETERS = 4;

/** Faults of files, each with its path and text. */
export function checkBudgets(files) {
  return files.flatMap(({ path, text }) => findFaults(path, text));
}

function findFaults(path, text) {
  const faults = [];
  const lines = text.split('\n');
  const isTest = /\.(?:test|suite)\.(?:ts|mjs)$/.test(path);
  const excused = lines.slice(0, 12).some((line) => line.includes('// budget:'));
  const limit = isTest ? TEST_FILE_LINES : FILE_LINES;
  if (lines.length - 1 > limit && !excused)
    faults.push(`${path}: ${lines.length - 1} lines (budget ${limit}); split it`);
  // Tests hold their cases in one callback, and browser tests their steps.
  const isLong = ({ from, to }) => to - from + 1 > FUNCTION_LINES && !isTest && !path.endsWith('.browser.ts');
  for (const each of listFunctions(path, text)) {
    const { name, from, to, parameters } = each;
    const above = lines.slice(Math.max(0, from - 7), from - 1);
    if (above.some((line) => line.includes('// budget:'))) continue;
    if (isLong(each))
      faults.push(`${path}:${from}: ${name} has ${to - from + 1} lines (budget ${FUNCTION_LINES}); split it`);
    if (parameters > PARAMETERS)
      faults.push(
        `${path}:${from}: ${name} takes ${parameters} parameters (budget ${PARAMETERS}); name what travels together`,
      );
  }
  return faults;
}

if (process.argv[1]?.endsWith('check-budgets.mjs')) {
  const faults = checkBudgets(
    [...listSourceFiles(), ...listSourceFiles('scripts', ['.mjs'])].map((path) => ({
      path,
      text: readFileSync(path, 'utf8'),
    })),
  );
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(faults.length === 0 ? 0 : 1);
}
