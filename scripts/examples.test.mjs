// Every function that a library package exports from an entry point shows a call in its documentation, and the
// calls do what they show.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parseSync } from 'vite';
import { root } from './setup.mjs';
import { walk } from './syntax.mjs';

const PACKAGES = ['wire', 'conditions'];

/** Makes a function of an example's code, which may await. */
const AsyncFunction = runExample.constructor;

for (const name of PACKAGES) {
  const entryPoints = await loadEntryPoints(join(root, 'packages', name));
  const exported = Object.assign({}, ...entryPoints.map(({ exports }) => exports));
  suite(`@floe/${name}`, () => {
    for (const { path, text, exports } of entryPoints)
      for (const { id, comment } of exportedFunctions(path, text))
        test(`${path}: ${id} has an example that does what it shows`, async () => {
          const example = exampleIn(comment);
          assert.ok(example, `${path}: ${id} has no @example; show a call and, behind //, its value`);
          assert.ok(example.includes(id), `${path}: the example of ${id} does not call it`);
          await runExample(example, { ...exported, ...exports });
        });
  });
}

/** The modules that the package's `exports` names, with their source and what they export. */
function loadEntryPoints(home) {
  const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return Promise.all(
    Object.values(exports).map(async (file) => {
      const path = join(home, file);
      return {
        path: path.slice(root.length + 1),
        text: readFileSync(path, 'utf8'),
        exports: await import(path),
      };
    }),
  );
}

/** Exported functions, declared as such or as a constant, each with the comment that documents it. */
function exportedFunctions(path, text) {
  const { program, comments } = parseSync(path, text, { lang: 'ts' });
  return program.body
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap(({ declaration, start }) => {
      const above = comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '');
      const comment = above?.value ?? '';
      return functionNames(declaration).map((id) => ({ id, comment }));
    });
}

function functionNames(declaration) {
  if (declaration?.type === 'FunctionDeclaration') return [declaration.id.name];
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations
    .filter(({ init }) => /^(Arrow)?FunctionExpression$/.test(init?.type ?? ''))
    .map(({ id }) => id.name);
}

/** The code behind `@example`, up to the next tag; null when there is none. */
function exampleIn(comment) {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
  const from = lines.indexOf('@example');
  if (from === -1) return null;
  const length = lines.slice(from + 1).findIndex((line) => line.startsWith('@'));
  return lines
    .slice(from + 1, length === -1 ? undefined : from + 1 + length)
    .join('\n')
    .trimEnd();
}

/** Runs an example with the names of `scope` in reach. A statement `call(); // value` must give that value. */
async function runExample(example, scope) {
  const { program, comments } = parseSync('example.js', example, { lang: 'js' });
  const used = new Set();
  walk(program, (node) => {
    if (node.type === 'Identifier' && Object.hasOwn(scope, node.name)) used.add(node.name);
  });
  let [code, shown] = ['', 0];
  for (const statement of program.body) {
    const source = example.slice(statement.start, statement.end);
    const value = comments.find(
      ({ start }) => start >= statement.end && /^[ \t]*$/.test(example.slice(statement.end, start)),
    );
    if (statement.type !== 'ExpressionStatement' || value === undefined) code += `${source}\n`;
    else {
      code += `expect(await ${source.replace(/;$/, '')}, (${value.value}));\n`;
      shown += 1;
    }
  }
  assert.ok(shown > 0, `no value is shown; end a line with "// value":\n${example}`);
  const names = [...used].filter((name) => !declaredIn(program).has(name));
  const run = new AsyncFunction('expect', ...names, code);
  await run((actual, expected) => assert.deepEqual(actual, expected), ...names.map((name) => scope[name]));
}

/** Names that the example declares at its top, which hide exported ones. */
function declaredIn(program) {
  const names = new Set();
  for (const { type, declarations } of program.body)
    if (type === 'VariableDeclaration')
      for (const { id } of declarations)
        walk(id, (node) => {
          if (node.type === 'Identifier') names.add(node.name);
        });
  return names;
}
