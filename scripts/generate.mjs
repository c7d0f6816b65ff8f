// What is derived from code: docs/floe.schema.json for editors, the tables of docs/reference/configuration/*.md between
// `<!-- fields: … -->` and `<!-- end -->`, the table of docs/reference/providers.md, the tables of docs/benchmarks.md, the operations of the command line, the index of
// decisions, the WebAssembly of the JSON scanner, the Grafana dashboards, and the copy of the alerting rules in the Helm chart. With --check nothing is written and a file that differs fails. Runs on the project's Node, which reads TypeScript.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';
import { toJSONSchema } from 'zod';
import { writeResultTables } from '../bench/src/results-page.ts';
import { FloeConfigSchema } from '../packages/contract/src/config.ts';
import { ENVIRONMENT_OVERRIDES } from '../packages/server/src/config/environment.ts';
import { PROVIDER_DEFINITIONS } from '../packages/server/src/providers/provider-definitions.ts';
import { cliOperations } from './cli-operations.mjs';
import { dashboardFiles } from './deploy/dashboards.mjs';
import { markdownFiles } from './doc-pages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MARKER = /<!-- fields: (\S+) -->[\s\S]*?<!-- end -->/g;
/** A name and no address: editors read the file beside the configuration. */
const SCHEMA_ID = 'urn:floe:schema:floe.yaml';
/** Formats of JSON Schema that zod writes. zod's own formats, such as `cidrv4`, come with a pattern that says the same. */
const STANDARD_FORMATS = [
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
];
let stale = 0;
const assembler = await wabt();
const schema = toJSONSchema(FloeConfigSchema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
const variables = new Map(
  Object.entries(ENVIRONMENT_OVERRIDES).map(([name, path]) => [path.join('.'), name]),
);
const configurationPages = markdownFiles('docs/reference/configuration');
const tables = tablesOf(configurationPages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n'));

const outputs = {
  'docs/floe.schema.json': () =>
    `${JSON.stringify({ $schema: schema.$schema, $id: SCHEMA_ID, title: 'floe.yaml', ...loosened(schema) }, null, 2)}\n`,
  ...Object.fromEntries(configurationPages.map((page) => [page, withTables])),
  'docs/reference/providers.md': withProviders,
  'docs/benchmarks.md': (text) => writeResultTables(text),
  'packages/cli/src/api/operations.json': cliOperations,
  'decisions/README.md': withDecisions,
  'packages/wire/src/json-string-scanner-wasm.ts': scannerModule,
  // A chart contains only files of its own directory.
  'deploy/helm/floe/files/rules.yaml': () => readFileSync(join(root, 'deploy/prometheus/rules.yaml'), 'utf8'),
  ...Object.fromEntries(Object.entries(dashboardFiles()).map(([name, text]) => [name, () => text])),
};

for (const [name, produce] of Object.entries(outputs)) {
  const file = join(root, name);
  const before = readFileSync(file, 'utf8');
  const after = produce(before);
  if (after === before) continue;
  if (process.argv.includes('--check')) {
    process.stderr.write(`${name} does not match the schema; run node scripts/generate.mjs\n`);
    stale += 1;
  } else {
    writeFileSync(file, after);
    process.stdout.write(`${name} written\n`);
  }
}
process.exit(stale === 0 ? 0 : 1);

function scannerModule() {
  const text = readFileSync(join(root, 'packages/wire/src/json-string-scanner.wat'), 'utf8');
  const { buffer } = assembler.parseWat('json-string-scanner.wat', text, { simd: true }).toBinary({});
  return `/** json-string-scanner.wat as binary, in base64. Written by scripts/generate.mjs. */
export const JSON_STRING_SCANNER_WASM =
  '${Buffer.from(buffer).toString('base64')}';
`;
}

/** Each decision begins with `# NNNN: Title` and a line with its status and date. Three sections follow. */
function withDecisions(text) {
  const files = readdirSync(join(root, 'decisions'))
    .filter((file) => file !== 'README.md')
    .sort();
  const fileOf = new Map(files.map((file) => [file.slice(0, 4), file]));
  const rows = files.map((file) => {
    const record = readFileSync(join(root, 'decisions', file), 'utf8');
    const found = /^# (\d{4}): (.+)\n\nStatus: ([^.]+)\. Date: (\d{4}-\d\d-\d\d)\.\n/.exec(record);
    const sections = [...record.matchAll(/^## (.+)$/gm)].map(([, section]) => section).join(', ');
    if (found?.[1] !== file.slice(0, 4) || sections !== 'Context, Decision, Consequences')
      throw new Error(
        `decisions/${file}: expected "# NNNN: Title", "Status: accepted. Date: YYYY-MM-DD." and the sections Context, Decision, Consequences`,
      );
    const [, number, title, status, date] = found;
    const linked = status.replace(/\b\d{4}\b/g, (other) => {
      if (!fileOf.has(other)) throw new Error(`decisions/${file}: decision ${other} does not exist`);
      return `[${other}](${fileOf.get(other)})`;
    });
    return `| [${number}](${file}) | ${title} | ${linked} | ${date} |`;
  });
  const table = `| Number | Title | Status | Date |\n|---|---|---|---|\n${rows.join('\n')}`;
  return text.replace(
    /<!-- decisions -->[\s\S]*?<!-- end -->/,
    `<!-- decisions -->\n\n${table}\n\n<!-- end -->`,
  );
}

function withProviders(text) {
  const rows = PROVIDER_DEFINITIONS.map((definition) => {
    const variables = [...definition.keyVariables, ...(definition.urlVariables ?? [])].map(
      (name) => `\`${name}\``,
    );
    const cells = [
      definition.name,
      `\`${definition.kind}\``,
      Object.keys(definition.dialectPaths).join(', '),
      [...(definition.embeddings ? ['embeddings'] : []), ...(definition.opaqueApis ?? [])].join(', '),
      definition.baseUrl ?? '`base_url` is required',
      variables.join(', '),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const table = `| Provider | Kind | Dialects | Other endpoints | Base URL | Variables |\n|---|---|---|---|---|---|\n${rows.join('\n')}`;
  return text.replace(
    /<!-- providers -->[\s\S]*?<!-- end -->/,
    `<!-- providers -->\n\n${table}\n\n<!-- end -->`,
  );
}

/** Every value may be `${NAME}`, so whatever is narrower than any string takes such a string too. */
function loosened(node) {
  if (Array.isArray(node)) return node.map(loosened);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(standardKeywords(node)).map(([key, value]) => [
    key,
    key === 'properties' || key === 'definitions'
      ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, loosened(child)]))
      : ['enum', 'const', 'default', 'propertyNames'].includes(key)
        ? value
        : loosened(value),
  ]);
  const { description, default: byDefault, ...shape } = Object.fromEntries(entries);
  if (!isNarrowScalar(shape)) return Object.fromEntries(entries);
  return {
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    anyOf: [shape, { type: 'string', pattern: '\\$\\{' }],
  };
}

/** Without Floe's own keywords, with a standard format but not the pattern that zod adds to it, and with a pattern for any other format. */
function standardKeywords({ id: _id, inactive: _inactive, ...node }) {
  if (node.format === undefined) return node;
  const { format, pattern, ...rest } = node;
  if (STANDARD_FORMATS.includes(format)) return { ...rest, format };
  if (pattern === undefined)
    throw new Error(`the format ${format} is not part of JSON Schema and has no pattern`);
  return { ...rest, pattern };
}

function isNarrowScalar(shape) {
  if (['integer', 'number', 'boolean'].includes(shape.type) || 'enum' in shape || 'const' in shape)
    return true;
  return shape.type === 'string' && ['pattern', 'format'].some((key) => key in shape);
}

/** Every field below a schema, in order: `{path, type, fallback, meaning}`. */
function fieldsOf(node, path = '', found = []) {
  const branches = branchesOf(node);
  for (const branch of branches) {
    const kinds = branches.length > 1 ? kindsOf(branch) : [];
    if (branch.items) fieldsOf(branch.items, `${path}[]`, found);
    if (typeof branch.additionalProperties === 'object' && branch.additionalProperties.properties)
      fieldsOf(branch.additionalProperties, `${path}.*`, found);
    for (const [name, child] of Object.entries(branch.properties ?? {})) {
      const here = path === '' ? name : `${path}.${name}`;
      const required = branch.required?.includes(name) === true;
      found.push({ path: here, kinds, ...describe(child, here, required) });
      fieldsOf(child, here, found);
    }
  }
  return found;
}

/** Values of `kind` that lead to this alternative of a union. */
function kindsOf(branch) {
  const kind = branch.properties?.kind;
  return kind?.const === undefined ? (kind?.enum ?? []) : [kind.const];
}

function branchesOf(node) {
  const nested = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return nested.length === 0 ? [node] : nested.flatMap(branchesOf);
}

function describe(node, path, required) {
  const variable = variables.get(path);
  const meaning = [node.description ?? '', variable ? `Overridden by \`${variable}\`.` : ''].join(' ').trim();
  const plain = node.default !== undefined && !isContainer(node);
  const fallback = required ? 'required' : plain ? `\`${JSON.stringify(node.default)}\`` : '';
  return { type: `${typeOf(node)}${node.writeOnly ? ', secret' : ''}`, fallback, meaning };
}

function isContainer(node) {
  return branchesOf(node).some((branch) => branch.type === 'object');
}

function typeOf(node) {
  const names = branchesOf(node).map((branch) => {
    if (branch.const !== undefined) return `\`${branch.const}\``;
    if (branch.enum) return branch.enum.map((value) => `\`${value}\``).join(', ');
    if (branch.type === 'array')
      return `list of ${typeOf(branch.items).replace(/\b(?:string|object|integer|number)\b/g, '$&s')}`;
    if (branch.type === 'integer' || branch.type === 'number') return number(branch);
    return { string: 'string', boolean: 'boolean', object: 'object' }[branch.type] ?? 'any value';
  });
  return [...new Set(names)].join(' or ');
}

function number({ type, minimum, exclusiveMinimum, maximum }) {
  const word = type === 'integer' ? 'integer' : 'number';
  const low = minimum ?? (exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`);
  const high = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (low === undefined) return word;
  return high === undefined
    ? `${word}, ${typeof low === 'string' ? low : `at least ${low}`}`
    : `${word}, ${low} to ${high}`;
}

/** The fields that belong to each `<!-- fields: prefix -->` of the pages: those below it that no longer prefix claims. */
function tablesOf(pages) {
  const prefixes = [...pages.matchAll(MARKER)]
    .map(([, prefix]) => prefix)
    .sort((a, b) => b.length - a.length);
  const below = (path, prefix) => path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`);
  const claimed = new Map(prefixes.map((prefix) => [prefix, []]));
  for (const field of merged(fieldsOf(schema))) {
    const owner = prefixes.find((prefix) => below(field.path, prefix));
    if (owner !== undefined) claimed.get(owner).push(field);
    else if (!prefixes.includes(field.path) && field.path !== 'orgs') {
      process.stderr.write(`docs/reference/configuration has no table for ${field.path}\n`);
      stale += 1;
    }
  }
  return claimed;
}

/** Writes the tables of a page. Paths in a table begin below its prefix. */
function withTables(text) {
  return text.replace(MARKER, (_, prefix) => {
    const rows = tables.get(prefix).map(({ path, type, fallback, meaning }) => {
      const name = path.slice(prefix.length).replace(/^(?:\[\])?\./, '');
      return `| \`${name}\` | ${type} | ${fallback} | ${meaning} |`;
    });
    const head = '| Field | Type | Default | Description |\n|---|---|---|---|';
    return `<!-- fields: ${prefix} -->\n\n${head}\n${rows.join('\n')}\n\n<!-- end -->`;
  });
}

/** One row per path: what only some alternatives have says which. */
function merged(fields) {
  const rows = new Map();
  for (const field of fields) {
    const row = rows.get(field.path) ?? { ...field, variants: [] };
    row.variants.push(field);
    rows.set(field.path, row);
  }
  return [...rows.values()].map((row) => {
    if (row.kinds.length === 0) return row;
    const some = row.path.endsWith('.kind');
    const types = [...new Set(row.variants.map((variant) => variant.type))].join(', ');
    const told = row.variants.map(({ kinds, meaning }) => `${kinds.join(', ')}: ${meaning}`);
    const same = row.variants.every(({ meaning }) => meaning === row.meaning) && row.variants.length > 3;
    return { ...row, type: types, meaning: same && !some ? row.meaning : told.join(' ') };
  });
}
