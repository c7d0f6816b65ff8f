import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/references';
import { parse } from 'yaml';
import * as z from 'zod';
import { ENVIRONMENT_OVERRIDES, readEnvironment } from './environment.ts';
import { loadConfig } from './load.ts';
import { keysAt } from './schema-lookup.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, docs), 'utf8');
const VARIABLES = Object.fromEntries(
  [...read('floe.example.yaml').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [
    name,
    name?.endsWith('_KEY') ? `eis_${name.padEnd(32, '_')}` : 'value',
  ]),
);

/** Fields of the schema in the notation of the page: `orgs[].providers[].prices.*.input`. */
function fields(path: ConfigPath = [], shown = ''): string[] {
  return keysAt(FloeConfigSchema, path).flatMap((key) => {
    const here = shown === '' ? key : `${shown}.${key}`;
    const inside = [...path, key];
    return [
      here,
      ...fields(inside, here),
      ...fields([...inside, 0], `${here}[]`),
      ...fields([...inside, '*'], `${here}.*`),
    ];
  });
}

test('the configuration page documents every field of the schema and nothing else', () => {
  const page = read('configuration.md');
  const rows = [...page.matchAll(/^\| `([^`]+)` \| [^|]+ \| [^|]* \| (.+) \|$/gm)];
  const sections = [...page.matchAll(/^\*\*`([^`]+)`\*\* \S/gm)].map(([, name = '']) =>
    name.replace(/\[\]$/, ''),
  );
  const documented = rows.map(([, path = '']) => path).filter((path) => !path.includes('FLOE_'));
  assert.deepEqual([...new Set([...documented, ...sections])].sort(), [...new Set(fields())].sort());
  assert.equal(new Set(documented).size, documented.length, 'a field is documented twice');
});

test('the page names every variable that wins over a field', () => {
  const page = read('configuration.md');
  for (const [variable, path] of Object.entries(ENVIRONMENT_OVERRIDES)) {
    assert.ok(page.includes(`| \`${variable}\` | | Wins over \`${path.join('.')}\`. |`), variable);
    assert.match(page, new RegExp(`\\| \`${path.join('\\.')}\` \\|.*\`${variable}\` wins over it`));
  }
});

test('the example is valid and uses every section', () => {
  const { config } = loadConfig({ text: read('floe.example.yaml'), env: readEnvironment(VARIABLES) });
  const used = parse(read('floe.example.yaml'));
  assert.deepEqual(Object.keys(config).sort(), Object.keys(used).sort());
  const sections = keysAt(FloeConfigSchema, ['orgs', 0]);
  assert.deepEqual(Object.keys(used.orgs[0]).sort(), sections.sort());
});

test('the published schema accepts the example with its variables and refuses unknown keys', () => {
  const schema = z.fromJSONSchema(JSON.parse(read('floe.schema.json')));
  const example = parse(read('floe.example.yaml'));
  assert.deepEqual(schema.safeParse(example).error?.issues ?? [], []);
  assert.ok(schema.safeParse({ server: { port: '${PORT}' } }).success);
  assert.ok(!schema.safeParse({ server: { port: 'eighty' } }).success);
  assert.ok(!schema.safeParse({ srver: {} }).success);
});
