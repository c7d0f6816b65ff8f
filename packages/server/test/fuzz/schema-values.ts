import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import fc from 'fast-check';

/** Addresses for fields that want one: nothing listens at the first, nothing has the name of the second. */
const ADDRESSES = ['http://127.0.0.1:9/hook', 'https://floe.invalid/hook'];
/** Words for fields whose rule no schema says, by the field's name. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  timezone: ['UTC', 'Europe/Berlin', 'Asia/Kathmandu'],
  cron: ['0 3 * * *', '*/5 * * * 1-5'],
  name: ['one', 'two', 'nightly-backup'],
  slug: ['one', 'status'],
  model: ['sandbox/echo', 'sandbox/*'],
  url: ADDRESSES,
  base_url: ['http://127.0.0.1:9'],
};
/** Characters of several code units, marks, right-to-left, and some that break markup and spreadsheets. */
const UNUSUAL = fc.constantFrom(
  '\u00e9',
  '\u0301',
  '\ud83d\ude00',
  '\u05d0',
  '\u200d',
  '\u{1d11e}',
  '<',
  '"',
  '=',
  '%',
  '\n',
);
const PLAIN = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789');
const MOST_ITEMS = 3;
const MOST_CHARS = 40;

/**
 * Values that a JSON Schema allows, as OpenAPI 3.1 writes it. Rules that no schema can say are not known here, so a
 * server may still refuse one.
 *
 * @param root document that `$ref`s point into
 */
export function schemaValues(schema: Json | undefined, root: JsonObject): fc.Arbitrary<Json> {
  if (!isJsonObject(schema)) return fc.constantFrom<Json>('x', 1, true, null, {}, []);
  const known = made.get(schema);
  if (known) return known;
  // A schema that holds itself finds this in its place: one value of it is enough of them.
  made.set(schema, fc.constantFrom<Json>('x', 1, null));
  const values = newValues(schema, root);
  made.set(schema, values);
  return values;
}

/** Making one costs more than drawing from it, and components are used all over. */
const made = new WeakMap<JsonObject, fc.Arbitrary<Json>>();

function newValues(schema: JsonObject, root: JsonObject): fc.Arbitrary<Json> {
  const { $ref: reference, anyOf, oneOf, const: only, enum: several, type } = schema;
  if (typeof reference === 'string') return schemaValues(resolvePointer(root, reference), root);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => schemaValues(choice, root)));
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(several)) return fc.constantFrom(...several);
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => schemaValues({ ...schema, type: one }, root)));
  switch (type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer(range(schema, 1));
    case 'number':
      return fc.double({ ...range(schema, 0), noNaN: true }).map((value) => Math.round(value * 1000) / 1000);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(schemaValues(schema['items'], root), {
        minLength: numberIn(schema, 'minItems', 0),
        maxLength: Math.max(numberIn(schema, 'minItems', 0), MOST_ITEMS),
      });
    case 'object':
      return objects(schema, root);
    default:
      return schemaValues(undefined, root);
  }
}

/** What `#/a/b` points at. */
export function resolvePointer(root: JsonObject, reference: string): Json | undefined {
  let found: Json | undefined = root;
  for (const step of reference.slice(2).split('/'))
    found = isJsonObject(found) ? found[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return found;
}

function objects(schema: JsonObject, root: JsonObject): fc.Arbitrary<Json> {
  const { properties, required, additionalProperties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const needed = Array.isArray(required) ? required : [];
  const members: Record<string, fc.Arbitrary<Json>> = {};
  for (const [name, value] of Object.entries(known)) members[name] = memberValues(name, value, root);
  const requiredKeys = Object.keys(members).filter((name) => needed.includes(name));
  const least = Object.fromEntries(Object.entries(members).filter(([name]) => needed.includes(name)));
  const own: fc.Arbitrary<Json> = fc
    .oneof(fc.record(members, { requiredKeys }), fc.record(least))
    .map((value) => ({ ...value }));
  if (!isJsonObject(additionalProperties) || Object.keys(known).length > 0) return own;
  return fc
    .dictionary(fc.stringMatching(/^[a-z]{1,8}$/), schemaValues(additionalProperties, root), { maxKeys: 2 })
    .map((value) => ({ ...value }));
}

export function memberValues(name: string, schema: Json | undefined, root: JsonObject): fc.Arbitrary<Json> {
  const words = WORDS[name];
  const isText = isJsonObject(schema) && schema['type'] === 'string' && schema['enum'] === undefined;
  const values = schemaValues(schema, root);
  return words && isText ? fc.oneof(fc.constantFrom(...words), fc.constantFrom(...words), values) : values;
}

function texts(schema: JsonObject): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  const minLength = numberIn(schema, 'minLength', 0);
  const maxLength = Math.max(minLength, Math.min(numberIn(schema, 'maxLength', MOST_CHARS), MOST_CHARS));
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2024-01-01'), max: new Date('2034-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'email') return fc.constantFrom('ops@floe.example', 'a.b+c@floe.example');
  if (format === 'uri' || (typeof pattern === 'string' && pattern.startsWith('^https?://')))
    return fc.constantFrom(...ADDRESSES);
  if (typeof pattern === 'string')
    return fc
      .stringMatching(new RegExp(pattern), { maxLength: 100 })
      .filter((text) => text.length >= minLength);
  return fc.oneof(
    fc.string({ minLength, maxLength, size: 'small' }),
    fc.string({ minLength, maxLength, size: 'small', unit: UNUSUAL }),
    fc.string({ minLength: Math.max(1, minLength), maxLength: Math.max(1, maxLength), unit: PLAIN }),
  );
}

function range(schema: JsonObject, step: number): { readonly min: number; readonly max: number } {
  const least = Math.max(
    numberIn(schema, 'minimum', -1_000_000),
    numberIn(schema, 'exclusiveMinimum', -1_000_000) + step,
  );
  const most = Math.min(
    numberIn(schema, 'maximum', 1_000_000_000),
    numberIn(schema, 'exclusiveMaximum', 1_000_000_000) - step,
  );
  return { min: Math.min(least, most), max: Math.max(least, most) };
}

function numberIn(schema: JsonObject, name: string, otherwise: number): number {
  const value = schema[name];
  return typeof value === 'number' ? value : otherwise;
}
