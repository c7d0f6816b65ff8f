// Every function that a library package exports from an entry point, and every method of the SDK, shows a call in its
// documentation, and the calls do what they show.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { parseSync } from 'vite';
import { root } from './setup.mjs';
import { walk } from './syntax.mjs';

/** What the examples of a package may use beside its exports, and whether its methods need examples, too. */
const PACKAGES = {
  wire: { scopeOf: () => ({}), methods: false },
  conditions: { scopeOf: () => ({}), methods: false },
  sdk: { scopeOf: sdkScope, methods: true },
};

/** Interfaces that a caller is handed; the methods of others are for the caller to write. */
const HANDED = new Set(['HeartbeatHandle']);

/** Makes a function of an example's code, which may await. */
const AsyncFunction = runExample.constructor;

for (const [name, { scopeOf, methods }] of Object.entries(PACKAGES)) {
  const entryPoints = await loadEntryPoints(join(root, 'packages', name));
  const exported = Object.assign({}, ...entryPoints.map(({ exports }) => exports));
  suite(`@floe/${name}`, () => {
    for (const { path, text, exports } of entryPoints)
      for (const { id, comment } of exportedFunctions(path, text, methods))
        test(`${path}: ${id} has an example that does what it shows`, async (t) => {
          const example = exampleIn(comment);
          assert.ok(example, `${path}: ${id} has no @example; show a call and, behind //, its value`);
          assert.ok(example.includes(id), `${path}: the example of ${id} does not call it`);
          await runExample(example, { ...exported, ...exports, ...scopeOf(t, exported) });
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

/**
 * Exported functions, declared as such or as a constant, and the methods of exported classes and of interfaces that the
 * caller is handed, each with the comment that documents it. Follows `export { … } from './x.ts'`.
 */
function exportedFunctions(path, text, withMethods) {
  const { program, comments } = parseSync(path, text, { lang: 'ts' });
  const commentAbove = ({ start }) =>
    comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '')?.value ?? '';
  return program.body
    .filter(({ type }) => type === 'ExportNamedDeclaration')
    .flatMap((statement) => {
      const { declaration, source, specifiers } = statement;
      if (source) {
        const names = new Set(specifiers.map(({ local }) => local.name));
        const file = join(dirname(path), source.value);
        return exportedFunctions(file, readFileSync(join(root, file), 'utf8'), withMethods).filter(({ of }) =>
          names.has(of),
        );
      }
      const functions = functionNames(declaration).map((id) => ({
        id,
        of: id,
        comment: commentAbove(statement),
      }));
      const methods = methodsOf(withMethods ? declaration : null).map((method) => ({
        id: method.key.name,
        of: declaration.id.name,
        comment: commentAbove(method),
      }));
      if (methods.length === 0 || declaration.type !== 'ClassDeclaration') return [...functions, ...methods];
      const { name } = declaration.id;
      return [{ id: name, of: name, comment: commentAbove(statement) }, ...methods];
    });
}

function methodsOf(declaration) {
  if (declaration?.type === 'ClassDeclaration')
    return declaration.body.body.filter(
      ({ type, kind, key, accessibility }) =>
        type === 'MethodDefinition' &&
        kind === 'method' &&
        key.type === 'Identifier' &&
        accessibility !== 'private',
    );
  if (declaration?.type !== 'TSInterfaceDeclaration' || !HANDED.has(declaration.id.name)) return [];
  return declaration.body.body.filter(({ type }) => type === 'TSMethodSignature');
}

/** A client of a server that takes every beat, in the place of the global `fetch`. */
function sdkScope(t, { Floe }) {
  t.mock.method(globalThis, 'fetch', async () => Response.json({ ok: true, beat_id: 'beat_1' }));
  return {
    apiKey: 'eis_test_key',
    beatUrl: 'https://floe.example/beat/secret',
    floe: new Floe({ apiKey: 'eis_test_key', baseUrl: 'https://floe.example' }),
    backUp: async () => 'done',
  };
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
