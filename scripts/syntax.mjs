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
 * Everything that a file imports: statically, by `import()`, by the type `import('…')` or through `createRequire`. Of types
 * alone nothing is loaded.
 */
export function importsOf(path, text) {
  const found = [];
  const add = (source, isType, isLazy) => {
    if (source?.type === 'TSLiteralType') return add(source.literal, isType, isLazy);
    const specifier = typeof source?.value === 'string' ? source.value : null;
    found.push({ specifier, isType, isLazy });
  };
  walk(parse(path, text), (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
        return add(node.source, node.importKind === 'type', false);
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        return node.source ? add(node.source, node.exportKind === 'type', false) : undefined;
      case 'ImportExpression':
        return add(node.source, false, true);
      case 'TSImportType':
        return add(node.source ?? node.argument, true, false);
      case 'CallExpression':
        if (node.callee.type === 'CallExpression' && node.callee.callee.name === 'createRequire')
          add(node.arguments[0], false, true);
    }
  });
  return found;
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
export function functionsOf(path, text) {
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
