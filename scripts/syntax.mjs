// What a file of TypeScript imports, and where its functions begin and end, from its syntax tree.
import { parseSync } from 'vite';

/** @returns {object} the program as ESTree with TypeScript; throws for a file that cannot be parsed */
export function parse(path, text) {
  const { program, errors } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  return program;
}

/** Visits every node, parents first, each with its parent. */
export function walk(node, visit, parent = null) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit, parent);
    return;
  }
  if (typeof node.type !== 'string') return;
  visit(node, parent);
  for (const [name, value] of Object.entries(node)) if (name !== 'parent') walk(value, visit, node);
}

/**
 * Everything that a file imports: statically, by `import()`, by the type `import('…')`, by a `require` from
 * `createRequire`, by `getBuiltinModule`, and as an entry of its own (`new URL('./x.ts', import.meta.url)`), which a thread
 * or a process loads. A specifier that is not a literal is null. Of types alone nothing is loaded.
 */
export function listImports(path, text) {
  const program = parse(path, text);
  const found = [];
  const add = (source, kind) => {
    if (source?.type === 'TSLiteralType') return add(source.literal, kind);
    found.push({ specifier: literalText(source), isType: false, isLazy: true, isEntry: false, ...kind });
  };
  walk(program, (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
        return add(node.source, { isType: node.importKind === 'type', isLazy: false });
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        return node.source
          ? add(node.source, { isType: node.exportKind === 'type', isLazy: false })
          : undefined;
      case 'ImportExpression':
        return add(node.source);
      case 'TSImportType':
        return add(node.source ?? node.argument, { isType: true });
      case 'NewExpression':
      case 'CallExpression': {
        const entry = entryOf(node);
        if (entry !== undefined) add(entry, { isEntry: true });
      }
    }
  });
  for (const source of loadedBy(program)) add(source);
  return found;
}

/** The text of a string or of a template without expressions; null for any other expression. */
function literalText(node) {
  if (typeof node?.value === 'string') return node.value;
  return node?.type === 'TemplateLiteral' && node.expressions.length === 0
    ? node.quasis[0].value.cooked
    : null;
}

const CODE = /\.[cm]?[jt]sx?$/;

/** The code that `new URL(…, import.meta.url)` or `import.meta.resolve(…)` names; undefined for data and folders. */
function entryOf({ type, callee, arguments: [source, base] }) {
  const isUrl = type === 'NewExpression' && callee.name === 'URL' && isOfMeta(base, 'url');
  if (!isUrl && !isOfMeta(callee, 'resolve')) return undefined;
  const text = literalText(source);
  if (text === null) {
    const end = source?.type === 'TemplateLiteral' ? source.quasis.at(-1).value.cooked : '';
    return /\.\w+$/.test(end) && !CODE.test(end) ? undefined : source;
  }
  if (!isUrl) return source;
  return CODE.test(text) ? { value: /^\.{0,2}\//.test(text) ? text : `./${text}` } : undefined;
}

/** Whether a node is `import.meta.<name>`. */
function isOfMeta(node, name) {
  return (
    node?.type === 'MemberExpression' && node.object.type === 'MetaProperty' && propertyOf(node) === name
  );
}

function propertyOf({ computed, property }) {
  return computed ? literalText(property) : property.name;
}

/** Functions of Node that load a module by its name. */
const LOADERS = new Set(['createRequire', 'getBuiltinModule']);

/**
 * What is loaded by `createRequire(…)('x')`, by a constant that holds such a function, by its `resolve`, and by
 * `getBuiltinModule('x')`. Any other use of these functions counts as an import that is not written out: null.
 */
function loadedBy(program) {
  const loaders = new Map([...LOADERS].map((name) => [name, name]));
  const requires = new Set();
  const loaderOf = (node) => {
    const inner = withoutType(node);
    if (inner?.type === 'Identifier') return loaders.get(inner.name);
    return inner?.type === 'MemberExpression' && LOADERS.has(propertyOf(inner))
      ? propertyOf(inner)
      : undefined;
  };
  const isRequire = (node) => {
    const inner = withoutType(node);
    if (inner?.type === 'Identifier') return requires.has(inner.name);
    return inner?.type === 'CallExpression' && loaderOf(inner.callee) === 'createRequire';
  };
  walk(program, ({ type, id, init, imported, local }) => {
    if (type === 'ImportSpecifier' && LOADERS.has(imported.name)) loaders.set(local.name, imported.name);
    if (type === 'VariableDeclarator' && id.type === 'Identifier' && isRequire(init)) requires.add(id.name);
  });
  const found = [];
  const known = new Set();
  walk(program, (node, parent) => {
    const { type } = node;
    if (type === 'VariableDeclarator' && node.id.type === 'Identifier' && isRequire(node.init))
      known.add(node.id).add(withoutType(node.init));
    if (type === 'CallExpression') {
      const callee = withoutType(node.callee);
      const target = callee.type === 'MemberExpression' && isRequire(callee.object) ? callee.object : callee;
      const isLoaded = isRequire(target) && (target === callee || propertyOf(callee) === 'resolve');
      if (isLoaded || loaderOf(callee) === 'getBuiltinModule') found.push(node.arguments[0]);
      if (isLoaded) known.add(withoutType(target));
      if (loaderOf(callee) !== undefined) known.add(callee);
    }
    const isUsed =
      type === 'Identifier'
        ? !isName(node, parent) && (isRequire(node) || loaderOf(node) !== undefined)
        : isRequire(node) || (type === 'MemberExpression' && loaderOf(node) !== undefined);
    const isTaken = type === 'Property' && parent.type === 'ObjectPattern' && LOADERS.has(node.key.name);
    if (isTaken || (isUsed && !known.has(withoutType(node)))) found.push(null);
  });
  return found;
}

/** An expression without parentheses and without what TypeScript says of its type. */
function withoutType(node) {
  return node?.expression && /^(TS\w+|ParenthesizedExpression|ChainExpression)$/.test(node.type)
    ? withoutType(node.expression)
    : node;
}

/** Whether an identifier names a part of an import, an export or an object, and no variable. */
function isName(node, parent) {
  if (/^(Import|Export)\w*Specifier$/.test(parent?.type)) return true;
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return parent?.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand;
}

const SIGNATURES = new Set([
  'TSFunctionType',
  'TSConstructorType',
  'TSMethodSignature',
  'TSCallSignatureDeclaration',
  'TSConstructSignatureDeclaration',
  'TSDeclareFunction',
  'TSEmptyBodyFunctionExpression',
]);
const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  ...SIGNATURES,
]);

/**
 * Every function, with a body or as a type alone: its name, its first and last line, counted from 1, and how many parameters
 * it takes.
 */
export function listFunctions(path, text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineOf = (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  const found = [];
  walk(parse(path, text), (node, parent) => {
    if (!FUNCTIONS.has(node.type)) return;
    const isMember = /MethodDefinition$|^Property$/.test(parent?.type ?? '');
    const whole = isMember || parent?.type === 'VariableDeclarator' ? parent : node;
    const name = node.id?.name ?? node.key?.name ?? parent?.id?.name ?? parent?.key?.name ?? 'a function';
    // In ESTree a function has `params`; a type of one may have `parameters`. A `this` in front is no argument.
    const parameters = (node.params ?? node.parameters ?? []).filter(
      (parameter) => parameter.name !== 'this',
    ).length;
    found.push({ name, from: lineOf(whole.start), to: lineOf(node.end), parameters });
  });
  return found;
}
