import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import * as z from 'zod';
import { ENVIRONMENT_OVERRIDES, readEnvironment, SECRET_ENVIRONMENT_VARIABLES } from './environment.ts';
import { loadConfig } from './load-config.ts';
import { listSchemaKeysAt } from './schema-lookup.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, docs), 'utf8');
/** All pages of the configuration reference. */
const readConfigurationPages = () =>
  readdirSync(new URL('reference/configuration/', docs))
    .map((name) => read(`reference/configuration/${name}`))
    .join('\n');
const VARIABLES = Object.fromEntries(
  [...read('floe.example.yaml').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [
    name,
    name?.endsWith('_KEY') ? `eis_${name.padEnd(32, '_')}` : 'value',
  ]),
);

/** Fields of the schema in the notation of the page: `orgs[].providers[].prices.*.input`. */
function fields(path: ConfigPath = [], shown = ''): string[] {
  return listSchemaKeysAt(FloeConfigSchema, path).flatMap((key) => {
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

test('the configuration pages document exactly the fields of the schema', () => {
  const tables = [...readConfigurationPages().matchAll(/<!-- fields: (\S+) -->([\s\S]*?)<!-- end -->/g)];
  const known = new Set(fields());
  const documented = tables.flatMap(([, prefix = '', table = '']) =>
    [...table.matchAll(/^\| `([^`]+)` \| [^|]+ \| [^|]* \| (.+) \|$/gm)].map(([, name = '']) => {
      const path = [`${prefix}.${name}`, `${prefix}[].${name}`].find((one) => known.has(one));
      assert.ok(path, `${prefix}: ${name} is no field`);
      return path;
    }),
  );
  assert.equal(new Set(documented).size, documented.length, 'a field is documented twice');
  const sections = tables.map(([, prefix = '']) => prefix.replace(/(?:\[\]|\.\*)$/, ''));
  assert.deepEqual([...new Set([...documented, ...sections])].sort(), [...known].sort());
});

test('the pages list every variable that overrides a field', () => {
  const variables = read('reference/environment-variables.md');
  const pages = readConfigurationPages();
  for (const [variable, path] of Object.entries(ENVIRONMENT_OVERRIDES)) {
    assert.match(
      variables,
      new RegExp(`\\| \`${variable}\` \\| .* \\| Overrides \`${path.join('\\.')}\``),
      variable,
    );
    assert.match(
      pages,
      new RegExp(`\\| \`${path.slice(1).join('\\.')}\` \\|.*Overridden by \`${variable}\``),
      variable,
    );
  }
});

test('the page of environment variables lists every variable that accepts a file path', () => {
  const listed = [
    ...read('reference/environment-variables.md').matchAll(/^\| `(\w+)_FILE` \| `(\w+)` \|$/gm),
  ];
  assert.deepEqual(
    listed.map(([, name, replaced]) => [name, replaced]),
    SECRET_ENVIRONMENT_VARIABLES.map((name) => [name, name]),
  );
});

test('the example is valid and uses every section', () => {
  const { config } = loadConfig({ text: read('floe.example.yaml'), env: readEnvironment(VARIABLES) });
  const used = parse(read('floe.example.yaml'));
  assert.deepEqual(Object.keys(config).sort(), Object.keys(used).sort());
  const sections = listSchemaKeysAt(FloeConfigSchema, ['orgs', 0]);
  assert.deepEqual(Object.keys(used.orgs[0]).sort(), sections.sort());
});

test('the published schema is a named draft-07 schema that ajv accepts in strict mode', () => {
  const schema = JSON.parse(read('floe.schema.json'));
  assert.equal(schema.$schema, 'http://json-schema.org/draft-07/schema#');
  assert.equal(schema.$id, 'urn:floe:schema:floe.yaml');
  const ajv = new Ajv({ strict: true, strictTypes: true, strictTuples: true, validateFormats: true });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  assert.ok(validate(parse(read('floe.example.yaml'))), JSON.stringify(validate.errors));
  assert.ok(validate({ server: { trusted_proxies: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'] } }));
  assert.ok(!validate({ server: { trusted_proxies: ['10.0.0.0/99'] } }));
  assert.doesNotMatch(read('floe.schema.json'), /__schema/);
});

test('the published schema accepts the example with its variables and rejects unknown keys', () => {
  const schema = z.fromJSONSchema(JSON.parse(read('floe.schema.json')));
  const example = parse(read('floe.example.yaml'));
  assert.deepEqual(schema.safeParse(example).error?.issues ?? [], []);
  assert.ok(schema.safeParse({ server: { port: '${PORT}' } }).success);
  assert.ok(!schema.safeParse({ server: { port: 'eighty' } }).success);
  assert.ok(!schema.safeParse({ srver: {} }).success);
});
