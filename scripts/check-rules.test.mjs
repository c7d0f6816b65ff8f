// The rules of `npm run check` on sources that break them, each in every way the language has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBudgets } from './check-budgets.mjs';
import { checkLanguage } from './check-language.mjs';
import { checkLayers } from './check-layers.mjs';
import { listImports } from './syntax.mjs';

const filler = Array.from({ length: 60 }, (_, n) => `  step(${n});`).join('\n');

/** A function of 62 lines, in every form a function can have. */
const FORMS = {
  'a function': `export function long(): void {\n${filler}\n}`,
  'an async generator': `async function* long() {\n${filler}\n}`,
  'an arrow function': `export const long = (): void => {\n${filler}\n};`,
  'an arrow function in an object': `const all = {\n long: async (one: number) => {\n${filler}\n},\n};`,
  'an arrow function that is passed on': `call((one) => {\n${filler}\n});`,
  'a method': `class A {\n  async long(): Promise<void> {\n${filler}\n  }\n}`,
  'a private method': `class A {\n  static #long() {\n${filler}\n  }\n}`,
  'a getter': `class A {\n  get long() {\n${filler}\n return 1;\n }\n}`,
  'a method of an object': `const a = {\n  long() {\n${filler}\n  },\n};`,
  'a default export': `export default function () {\n${filler}\n}`,
  'type parameters over several lines': `export function long<\n  One extends object,\n  Other = Map<string, One>,\n>(one: One, other: Other): void {\n${filler}\n}`,
  'parameters over several lines': `export function long(\n  one: number,\n  other = (n: number) => n,\n): void {\n${filler}\n}`,
  'an arrow function with type parameters': `const long = <\n  One,\n>(one: One) => {\n${filler}\n};`,
};

for (const [form, text] of Object.entries(FORMS))
  test(`a function that is too long is found: ${form}`, () => {
    const [fault, ...others] = checkBudgets([{ path: 'packages/wire/src/x.ts', text }]);
    assert.match(fault ?? '', /has 6\d lines \(budget 60\)/);
    assert.deepEqual(others, []);
    const short = text.replace(filler, '  step(0);');
    assert.deepEqual(checkBudgets([{ path: 'packages/wire/src/x.ts', text: short }]), []);
    const excused = `// budget: a table\n${text}`;
    assert.deepEqual(checkBudgets([{ path: 'packages/wire/src/x.ts', text: excused }]), []);
  });

/** A function of five parameters, in every form a function or its type can have. */
const SIGNATURES = {
  'a function': (list) => `export function wide(${list}): void {}`,
  'an overload': (list) => `export declare function wide(${list}): void;`,
  'an arrow function': (list) => `const wide = (${list}) => 1;`,
  'an arrow function that is passed on': (list) => `call((${list}) => 1);`,
  'a method': (list) => `class A {\n  async wide(${list}) {}\n}`,
  'a private method': (list) => `class A {\n  static #wide(${list}) {}\n}`,
  'an abstract method': (list) => `abstract class A {\n  abstract wide(${list}): void;\n}`,
  'a constructor': (list) => `class A {\n  constructor(${list}) {}\n}`,
  'a method of an object': (list) => `const a = { wide(${list}) {} };`,
  'a method of an interface': (list) => `interface A {\n  wide(${list}): void;\n}`,
  'a call signature': (list) => `interface A {\n  (${list}): void;\n}`,
  'a type of functions': (list) => `type Wide = (${list}) => void;`,
  'a type of constructors': (list) => `type Wide = new (${list}) => object;`,
  'a field that is a function': (list) => `interface A {\n  wide: (${list}) => void;\n}`,
};

for (const [form, write] of Object.entries(SIGNATURES))
  test(`a function of too many parameters is found: ${form}`, () => {
    const faults = (text, path = 'packages/wire/src/x.ts') => checkBudgets([{ path, text }]);
    const wide = write('a: number, b: string, { c, d }: Pair, e?: number, ...f: string[]');
    assert.match(faults(wide).join(), /takes 5 parameters \(budget 4\)/);
    assert.equal(faults(wide).length, 1);
    assert.match(faults(wide, 'packages/wire/src/x.test.ts').join(), /takes 5 parameters/);
    assert.deepEqual(faults(write('a: number, b: string, { c, d }: Pair, e?: number')), []);
    assert.deepEqual(faults(`// budget: called by V8\n${wide}`), []);
  });

test('a type for `this` is no parameter', () => {
  const text = 'function four(this: Foo, a: number, b: number, c: number, d: number): void {}';
  assert.deepEqual(checkBudgets([{ path: 'packages/wire/src/x.ts', text }]), []);
});

/** Every way to import something. */
const IMPORTS = {
  'import … from': (from) => `import { a } from '${from}';`,
  'import over several lines': (from) => `import {\n  a,\n  b,\n} from "${from}";`,
  'import for its effects': (from) => `import '${from}';`,
  'export … from': (from) => `export { a } from '${from}';`,
  'export *': (from) => `export * from '${from}';`,
  'import()': (from) => `const load = async () => (await import('${from}')).a;`,
  'import() in a template': (from) => `const load = () => import(\`${from}\`);`,
  createRequire: (from) => `const a = createRequire(import.meta.url)('${from}');`,
  'createRequire with a type': (from) => `const a = (createRequire(import.meta.url) as Load)('${from}');`,
  'createRequire of the module': (from) => `const a = module.createRequire(import.meta.url)('${from}');`,
  'a constant from createRequire': (from) =>
    `const load = createRequire(import.meta.url);\nfunction a() {\n  return load('${from}');\n}`,
  'createRequire under another name': (from) =>
    `import { createRequire as makeLoader } from 'node:module';\nconst a = makeLoader(import.meta.url)('${from}');`,
  'require.resolve': (from) =>
    `const require = createRequire(import.meta.url);\nconst a = require.resolve('${from}');`,
  'process.getBuiltinModule': (from) => `const a = process.getBuiltinModule('${from}');`,
  "process['getBuiltinModule']": (from) => `const a = process['getBuiltinModule']?.('${from}');`,
  getBuiltinModule: (from) =>
    `import { getBuiltinModule as get } from 'node:process';\nconst a = get('${from}');`,
  'import.meta.resolve': (from) => `const a = import.meta.resolve('${from}');`,
};
/** Ways to name a file that a thread or a process of its own loads. */
const ENTRIES = {
  'new Worker': (from) => `const a = new Worker(new URL('${from}', import.meta.url));`,
  'new URL': (from) => `const options = { entry: new URL(\`${from}\`, import.meta.url) };`,
};
const TYPES = {
  'import type': (from) => `import type { A } from '${from}';`,
  'the type of import()': (from) => `type A = typeof import('${from}');`,
};
/** What a file of the store's layer may not import, with the reason. */
const FORBIDDEN = {
  '../gateway/exchange.ts': /server\/store \(layer 2\) imports server\/gateway \(layer 5\)/,
  '@floe/server/main': /server\/main/,
};
const PATH = 'packages/server/src/store/x.ts';
const faultsOf = (path, text) => checkLayers([{ path, text }], []);

for (const [way, write] of Object.entries({ ...IMPORTS, ...TYPES }))
  test(`an import of a higher layer is found: ${way}`, () => {
    for (const [from, reason] of Object.entries(FORBIDDEN))
      assert.match(faultsOf(PATH, write(from)).join(), reason);
    assert.deepEqual(faultsOf(PATH, write('../core/clock.ts')), []);
  });

for (const [way, write] of Object.entries(IMPORTS))
  test(`what is forbidden in a module is found: ${way}`, () => {
    const path = 'packages/server/src/gateway/x.ts';
    for (const from of ['kysely', 'pg', 'node:http'])
      assert.match(faultsOf(path, write(from)).join(), /stops at/, from);
  });

for (const [way, write] of Object.entries(ENTRIES)) {
  test(`an entry on a higher layer is found: ${way}`, () => {
    assert.match(faultsOf(PATH, write('../gateway/exchange.ts')).join(), FORBIDDEN['../gateway/exchange.ts']);
    assert.match(faultsOf(PATH, write('../nowhere/worker.mjs')).join(), /unknown module "server\/nowhere"/);
    for (const allowed of [
      './worker.ts',
      'worker.ts',
      '../core/clock.ts',
      '../../data/prices.json',
      '../data/',
    ])
      assert.deepEqual(faultsOf(PATH, write(allowed)), [], allowed);
  });

  test(`an entry is no part of what its starter loads: ${way}`, () => {
    const starter = { path: 'packages/wire/src/a.ts', text: write('./b.ts') };
    const entry = { path: 'packages/wire/src/b.ts', text: "import { a } from './a.ts';" };
    assert.deepEqual(checkLayers([starter, entry], []), []);
  });
}

test('the command line starts the server as a process, and no other module does', () => {
  const text = "const a = new URL('../../server/bin/server.mjs', import.meta.url);";
  assert.deepEqual(faultsOf('packages/cli/src/x.ts', text), []);
  assert.match(faultsOf('packages/sdk/src/x.ts', text).join(), /sdk may not import/);
  const imported = "import '../../server/bin/server.mjs';";
  assert.match(faultsOf('packages/cli/src/x.ts', imported).join(), /cli may not import/);
});

test('an import that is not written out is found', () => {
  const load = 'const load = createRequire(import.meta.url);\n';
  for (const text of [
    'const a = import(name);',
    'const a = createRequire(import.meta.url)(name);',
    `${load}load(name);`,
    `${load}call(load);`,
    `${load}const { resolve } = load;`,
    'call(createRequire(import.meta.url));',
    'const make = createRequire;',
    'const { createRequire } = module;',
    'const { getBuiltinModule: get } = process;',
    'const get = process.getBuiltinModule;',
    'const a = process.getBuiltinModule(name);',
    'const a = new Worker(new URL(name, import.meta.url));',
    `const a = new URL(\`./\${name}.ts\`, import.meta.url);`,
    'const a = import.meta.resolve(name);',
  ])
    assert.match(faultsOf(PATH, text).join(), /not written out/, text);
  for (const text of [
    `const a = new URL(\`data/\${name}.json\`, import.meta.url);`,
    "const a = new URL('./x.ts', address);",
    'const a = { getBuiltinModule: 1, createRequire: 2 };',
    "import { createRequire } from 'node:module';\nconst a = createRequire(import.meta.url).resolve('axe-core');",
  ])
    assert.deepEqual(faultsOf(PATH, text), [], text);
});

test('a circle of imports is found, also through import()', () => {
  const file = (name, text) => ({ path: `packages/wire/src/${name}.ts`, text });
  const files = [file('a', "import { b } from './b.ts';"), file('b', "const a = () => import('./a.ts');")];
  assert.match(checkLayers(files, []).join(), /import circle/);
});

test('a circle of types is found, and one that is broken by import() is none', () => {
  const file = (name, text) => ({ path: `packages/wire/src/${name}.ts`, text });
  const a = file('a', "import { b } from './b.ts';");
  assert.match(checkLayers([a, file('b', "import type { A } from './a.ts';")], []).join(), /import circle/);
  const lazy = file('a', "const b = () => import('./b.ts');");
  assert.deepEqual(checkLayers([lazy, file('b', "import type { A } from './a.ts';")], []), []);
});

test('what a thread must not load is found, also through import()', () => {
  const root = 'packages/server/src/store/thread.ts';
  const files = [
    { path: root, text: "const load = () => import('./tables.ts');" },
    { path: 'packages/server/src/store/tables.ts', text: "import { Kysely } from 'kysely';" },
  ];
  assert.match(checkLayers(files, [{ root, without: 'kysely' }]).join(), /would load into its thread/);
});

test('words in texts and comments are no imports', () => {
  const text = `// import('pg')\nconst a = "import x from 'pg'";\nconst b = \`import('pg') \${a}\`;`;
  assert.deepEqual(listImports('x.ts', text), []);
});

/** Where a phrase is found: in prose, strings, templates and JSX. */
const PHRASED = {
  'prose of a page': ['docs/x.md', 'One.\n\nThe caller is told at once.\n'],
  'a string': ['packages/cli/src/x.ts', "\n\nexport const TEXT = 'The caller is told at once.';\n"],
  'a template': ['packages/cli/src/x.ts', '\n\nexport const TEXT = `The caller is told at once.`;\n'],
  'text of a page': [
    'packages/console/src/x.tsx',
    '\n\nexport const Text = () => <p>The caller is told at once.</p>;\n',
  ],
};

for (const [where, [path, text]] of Object.entries(PHRASED))
  test(`a phrase that Floe does not use is found: ${where}`, () => {
    assert.deepEqual(checkLanguage([{ path, text }]), [
      `${path}:3: "is told": write "is notified", "receives" or "is reported"`,
    ]);
  });

test('code, commands, links and names are not read as prose', () => {
  const page = 'Run `floe is told`.\n\n```sh\necho nobody\n```\n\n[Rules](../nobody-is-told.md)\n';
  assert.deepEqual(checkLanguage([{ path: 'docs/x.md', text: page }]), []);
  const source =
    "import { nobody } from './nobody.ts';\n// Nobody is told.\nexport const a = nobody['nobody'];\n";
  assert.deepEqual(checkLanguage([{ path: 'packages/cli/src/x.ts', text: source }]), []);
});
