import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FloeConfigSchema } from '@floe/contract/config';
import { listLeafSchemaFields } from '../src/config/inactive-fields.ts';
import effects from './config-fields.json' with { type: 'json' };

// config-fields.json: every field of floe.yaml with the test that shows its effect.

/** The test that shows the effect. */
interface Effect {
  readonly file: string;
  readonly test: string;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const listed: ReadonlyMap<string, Effect> = new Map(Object.entries(effects));
const fields = listLeafSchemaFields(FloeConfigSchema).map(({ path, inactive }) => ({
  name: path.join('.').replaceAll('.[]', '[]'),
  inactive,
}));

test('every field of floe.yaml with an effect is listed with a test, and no other field is', () => {
  const active = fields.filter((field) => !field.inactive).map(({ name }) => name);
  assert.deepEqual([...listed.keys()].sort(), active.sort());
});

test('a field without an effect says so in its description', () => {
  const { properties } = JSON.parse(readFileSync(`${ROOT}docs/floe.schema.json`, 'utf8'));
  for (const { name } of fields.filter(({ inactive }) => inactive)) {
    const [section = '', field = ''] = name.split('.');
    assert.match(properties[section].properties[field].description, /no effect in this version/, name);
  }
});

test('every test that shows the effect of a field exists in its file', () => {
  const missing = [...listed].filter(([, effect]) => !isThere(effect));
  assert.deepEqual(missing, []);
});

/** Whether a file has a call of `test`, or an entry of a table of tests, with exactly this name. */
function isThere({ file, test: name }: Effect): boolean {
  if (!existsSync(ROOT + file)) return false;
  const text = readFileSync(ROOT + file, 'utf8');
  return [`'`, '"', '`'].some((quote) =>
    new RegExp(`(?:test|it)\\(\\s*${escaped(quote + name + quote)}`).test(text),
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
