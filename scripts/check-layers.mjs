// Enforces the layers: a file imports its own module or a lower layer, never sideways, never up,
// never in a cycle; some words may not appear in some modules. See ARCHITECTURE.md, "Layers".
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listSourceFiles } from './source-files.mjs';
import { listImports } from './syntax.mjs';

const LAYERS = {
  contract: 0,
  wire: 1,
  'server/core': 1,
  sdk: 1,
  conditions: 1,
  relay: 2,
  'server/config': 2,
  'server/store': 2,
  'server/providers': 2,
  testkit: 2,
  cli: 3,
  console: 3,
  'server/platform': 3,
  'server/alerts': 4,
  'server/analytics': 4,
  'server/guardrails': 4,
  'server/gateway': 5,
  'server/monitoring': 5,
  'server/relay': 5,
  'server/management': 6,
  'server/http': 7,
  'server/main': 8,
};

/** Imports within one layer that are allowed: a budget raises alerts (ARCHITECTURE.md, "Layers"). */
const ALLOWED_SIDEWAYS = new Set(['server/guardrails > server/alerts']);

/** Modules that may import only what is named here, whatever their layer. */
const ALLOWED_IMPORTS = {
  contract: [],
  sdk: [],
  wire: ['@floe/contract/billed-units', '@floe/contract/faults', '@floe/contract/json'],
  conditions: ['@floe/contract'],
  relay: ['@floe/contract', '@floe/conditions'],
  cli: ['@floe/contract', '@floe/relay', '@floe/sdk'],
  console: ['@floe/contract', '@floe/sdk'],
  'server/core': [],
};

/** Programs that a module starts as separate processes and never loads (ARCHITECTURE.md, "Layers"). */
const PROGRAMS = new Set(['cli > packages/server/bin/server.mjs']);

/** A word that must not appear in the imports or code of any module but those named. */
const FORBIDDEN_TERMS = [
  { what: "'node:http'", imports: /^node:https?$/, modules: ['server/http', 'testkit'] },
  { what: 'SQL engine', imports: /^(node:sqlite|kysely|pg|ioredis)$/, modules: ['server/store'] },
  {
    what: 'a provider’s name',
    // As a string of code; names of dialects (openai, anthropic, gemini) are words of their own.
    pattern:
      /['"`](?:azure|groq|deepseek|mistral|xai|together|fireworks|openrouter|ollama|vllm|perplexity|bedrock|vertex|cerebras|moonshot)\b/i,
    modules: ['server/providers', 'testkit'],
    files: ['contract/src/config/provider-kinds.ts', 'cli/src/import/known-providers.ts'],
  },
  {
    what: 'a dialect’s name',
    // That of a provider too, so only wire may say it beside the providers.
    pattern: /['"`]cohere\b/i,
    modules: ['server/providers', 'testkit', 'wire'],
    files: ['contract/src/config/provider-kinds.ts', 'cli/src/import/known-providers.ts'],
  },
  // A browser has none; the console names it in code it shows for other programs.
  { what: 'process.env', pattern: /process\.env/, modules: ['server/config', 'cli', 'testkit', 'console'] },
];

/** What a worker thread must not load, there or further on: Kysely's 255 files are 13 MB and 80 ms in each thread. */
const THREADS = [
  { root: 'packages/server/src/store/sqlite/sqlite-worker.ts', without: 'kysely' },
  { root: 'packages/server/src/management/evaluation/evaluation-worker.ts', without: 'kysely' },
  { root: 'packages/server/src/guardrails/policies/policy-worker.ts', without: 'kysely' },
  { root: 'packages/server/src/main/config-worker.ts', without: 'kysely' },
];

/** Within the console only the index of pages leads to a page: what a page shares lies in the modules below the pages. */
const CONSOLE = 'packages/console/src/';
const PAGES = `${CONSOLE}pages/`;
const PAGE_INDEX_FILES = new Set([`${CONSOLE}app/page-index.ts`]);

/** `packages/server/src/gateway/x.ts` -> `server/gateway`; `packages/wire/src/x.ts` -> `wire`. */
export function moduleOf(path) {
  const parts = path.split('/');
  if (parts[0] !== 'packages') return null;
  if (parts[1] !== 'server') return parts[1];
  if (parts[3] === 'main.ts' || parts[2] !== 'src') return 'server/main';
  return `server/${parts[3]}`;
}

function resolveImport(from, specifier) {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier));
  const own = /^@floe\/([a-z]+)(?:\/(.*))?$/.exec(specifier);
  if (!own) return null;
  return own[2] === 'main' && own[1] === 'server'
    ? 'packages/server/src/main.ts'
    : `packages/${own[1]}/src/${own[2] ?? 'index'}.ts`;
}

/** @param threads whose files have to be there */
export function checkLayers(files, threads = THREADS) {
  const faults = [];
  const edges = new Map();
  /** Types among them, but not what is only loaded when it is needed. */
  const declared = new Map();
  const packages = new Map();
  for (const { path, text } of files) {
    const module = moduleOf(path);
    if (LAYERS[module] === undefined) {
      faults.push(
        `${path}: unknown module "${module}"; add it to the plan in scripts/check-layers.mjs with an ADR, or move the file`,
      );
      continue;
    }
    const isTest = /\.test\.ts$|\.suite\.ts$|\/test\//.test(path);
    const targets = [];
    const known = [];
    const imported = listImports(path, text);
    for (const { specifier, isType: typeOnly, isLazy, isEntry } of imported) {
      if (specifier === null) {
        if (!isTest) faults.push(`${path}: an import that is not written out cannot be checked`);
        continue;
      }
      const target = resolveImport(path, specifier);
      if (!target && !typeOnly) packages.set(path, [...(packages.get(path) ?? []), specifier]);
      if (!target) continue;
      if (isEntry && PROGRAMS.has(`${module} > ${target}`)) continue;
      // An entry is loaded by a thread or a process of its own, and not by the file that names it.
      if (!typeOnly && !isEntry) targets.push(target);
      if (!isLazy) known.push(target);
      if (leadsToPage(path, target))
        faults.push(`${path}: imports a page (${target}); move what is shared to data/, ui/ or app/`);
      const fault = findLayerFault(module, moduleOf(target), specifier, isTest);
      if (fault) faults.push(`${path}: ${fault}`);
    }
    if (!isTest) {
      edges.set(path, targets);
      declared.set(path, known);
    }
    if (!isTest) faults.push(...findForbiddenTerms(path, text, imported));
  }
  return [
    ...faults,
    ...new Set([...findCycles(edges), ...findCycles(declared)]),
    ...threads.flatMap((thread) => findForbiddenLoads(edges, packages, thread)),
  ];
}

/** What is wrong with an import of a module by another; null when it may be. */
function findLayerFault(module, other, specifier, isTest) {
  if (other === module || (isTest && other === 'testkit')) return null;
  const [layer, reach] = [LAYERS[module], LAYERS[other]];
  if (reach === undefined) return `imports unknown module "${other}"`;
  if (isTest) return null;
  const allowed = ALLOWED_IMPORTS[module];
  if (allowed && !allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
    return `${module} may not import ${specifier}`;
  if (reach < layer || ALLOWED_SIDEWAYS.has(`${module} > ${other}`)) return null;
  return `${module} (layer ${layer}) imports ${other} (layer ${reach}); only lower layers may be imported`;
}

function findForbiddenTerms(path, text, imported) {
  const module = moduleOf(path);
  return FORBIDDEN_TERMS.filter((stop) => {
    if (stop.modules.includes(module) || stop.files?.some((file) => path.endsWith(file))) return false;
    return stop.imports
      ? imported.some(({ specifier }) => stop.imports.test(specifier ?? ''))
      : stop.pattern.test(text);
  }).map((stop) => `${path}: ${stop.what} stops at ${stop.modules.join(', ')}`);
}

/** Files through which a thread loads what it must do without. */
function findForbiddenLoads(edges, packages, { root, without }) {
  if (!edges.has(root))
    return [`${root}: no such file, and no thread to watch over; see scripts/check-layers.mjs`];
  const seen = new Set([root]);
  for (const path of seen) for (const next of edges.get(path) ?? []) seen.add(next);
  return [...seen]
    .filter((path) => packages.get(path)?.some((name) => name === without || name.startsWith(`${without}/`)))
    .map(
      (path) =>
        `${path}: imports ${without}, which ${root} would load into its thread; keep them in files apart`,
    );
}

function leadsToPage(path, target) {
  const isBelow = path.startsWith(CONSOLE) && !path.startsWith(PAGES);
  return isBelow && target.startsWith(PAGES) && !PAGE_INDEX_FILES.has(path);
}

function findCycles(edges) {
  const found = [];
  const state = new Map();
  const visit = (path, trail) => {
    state.set(path, 'open');
    for (const next of edges.get(path) ?? []) {
      if (!edges.has(next)) continue;
      if (state.get(next) === 'open')
        found.push(`import circle: ${[...trail.slice(trail.indexOf(next)), next].join(' > ')}`);
      else if (!state.has(next)) visit(next, [...trail, next]);
    }
    state.set(path, 'done');
  };
  for (const path of edges.keys()) if (!state.has(path)) visit(path, [path]);
  return found;
}

if (process.argv[1]?.endsWith('check-layers.mjs')) {
  const files = listSourceFiles().map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const faults = checkLayers(files);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.stdout.write(`layers: ${files.length} files, ${faults.length} faults\n`);
  process.exit(faults.length === 0 ? 0 : 1);
}
