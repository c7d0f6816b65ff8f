import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';

/** Maximum depth of schemas in examples and tables. */
const MAX_SCHEMA_DEPTH = 4;

/** A member of an object, as a table row. */
export interface SchemaFieldRow {
  /** The path of the member in the object, such as `schedule.cron` or `tags[]`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/**
 * Returns the schema that a `$ref` in the document refers to, or the given schema if it is not a
 * reference. An invalid schema is replaced with one that allows every value.
 */
export function resolveSchemaReference(schema: Json | undefined, root: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return {};
  const { $ref: reference } = schema;
  if (typeof reference !== 'string') return schema;
  let found: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) found = isJsonObject(found) ? found[step] : undefined;
  // A description next to the reference describes this use of the schema.
  return { ...resolveSchemaReference(found, root), ...(schema['description'] !== undefined && schema) };
}

function choicesOf(schema: JsonObject): readonly Json[] {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(choices) ? choices : [];
}

/**
 * Describes a schema in words: `string`, `integer, at least 1`, `"a" or "b"`, `array of string`, …
 *
 * @param parentReferences the references that enclose the schema. A reference to one of them becomes
 * `any value`.
 */
export function formatSchemaType(
  given: Json | undefined,
  root: JsonObject,
  parentReferences: readonly string[] = [],
): string {
  const reference = isJsonObject(given) ? given['$ref'] : undefined;
  const isNamed = typeof reference === 'string';
  if (isNamed && parentReferences.includes(reference)) return 'any value';
  const inside = isNamed ? [...parentReferences, reference] : parentReferences;
  const schema = resolveSchemaReference(given, root);
  const { const: only, enum: several, type, format, items } = schema;
  const choices = choicesOf(schema);
  if (choices.length > 0)
    return [...new Set(choices.map((choice) => formatSchemaType(choice, root, inside)))].join(' or ');
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(several)) return several.map((value) => JSON.stringify(value)).join(' or ');
  if (Array.isArray(type))
    return type.map((one) => formatSchemaType({ ...schema, type: one }, root, inside)).join(' or ');
  if (type === 'array') return `array of ${formatSchemaType(items, root, inside)}`;
  if (type === 'string')
    return format === 'date-time' ? 'time (ISO 8601)' : `string${describeBounds(schema, 'Length')}`;
  if (type === 'integer') return `integer${describeBounds(schema, 'imum')}`;
  if (type === 'number') return `number${describeBounds(schema, 'imum')}`;
  if (type === 'boolean') return 'boolean';
  return typeof type === 'string' ? type : 'any value';
}

function describeBounds(schema: JsonObject, suffix: 'imum' | 'Length'): string {
  const least = schema[`min${suffix}`];
  const most = schema[`max${suffix}`];
  const unit = suffix === 'Length' ? ' characters' : '';
  const told = [
    typeof least === 'number' && least > -(2 ** 53) + 1 && `at least ${least}${unit}`,
    typeof most === 'number' && most < 2 ** 53 - 1 && `at most ${most}${unit}`,
  ].filter((text) => text !== false);
  return told.length === 0 ? '' : `, ${told.join(', ')}`;
}

/** Returns a schema's members as table rows. The members of a nested object follow the object. */
export function listSchemaFieldRows(
  given: Json | undefined,
  root: JsonObject,
  prefix = '',
  depth = 0,
): SchemaFieldRow[] {
  if (depth > MAX_SCHEMA_DEPTH) return [];
  const schema = resolveSchemaReference(given, root);
  const found = choicesOf(schema).flatMap((choice) => listSchemaFieldRows(choice, root, prefix, depth + 1));
  const { properties, required, items } = schema;
  if (items !== undefined) found.push(...listSchemaFieldRows(items, root, `${prefix}[]`, depth + 1));
  const needed = Array.isArray(required) ? required : [];
  for (const [name, member] of Object.entries(isJsonObject(properties) ? properties : {})) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const { description } = resolveSchemaReference(member, root);
    found.push({
      name: path,
      type: formatSchemaType(member, root),
      required: needed.includes(name),
      description: typeof description === 'string' ? description : '',
    });
    found.push(...listSchemaFieldRows(member, root, path, depth + 1));
  }
  return [...new Map(found.map((field) => [field.name, field])).values()];
}

/** Example values by field name. They are clearer than a value of the type. */
const EXAMPLES_BY_NAME: Readonly<Record<string, Json>> = {
  name: 'nightly-backup',
  slug: 'status',
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  model: 'sandbox/echo',
  url: 'https://hooks.example.com/floe',
  email: 'ops@example.com',
  id: 'nightly-backup',
};

/** Builds an example value that contains only the required members. */
export function buildSchemaExample(given: Json | undefined, root: JsonObject, name = '', depth = 0): Json {
  const schema = resolveSchemaReference(given, root);
  const { const: only, enum: several, default: byDefault, properties, required, minimum } = schema;
  const [choice] = choicesOf(schema);
  if (depth > 2 * MAX_SCHEMA_DEPTH) return null;
  if (only !== undefined) return only;
  if (Array.isArray(several)) return several[0] ?? null;
  if (byDefault !== undefined) return byDefault;
  if (choice !== undefined) return buildSchemaExample(choice, root, name, depth);
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (type === 'string')
    return EXAMPLES_BY_NAME[name] ?? (schema['format'] === 'date-time' ? '2027-01-01T00:00:00Z' : 'text');
  if (type === 'integer' || type === 'number')
    return typeof minimum === 'number' && minimum > 0 ? minimum : 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'array')
    return depth < MAX_SCHEMA_DEPTH ? [buildSchemaExample(schema['items'], root, name, depth + 1)] : [];
  const members = isJsonObject(properties) ? properties : {};
  const needed = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(members)
      .filter(([member]) => needed.includes(member) && depth < MAX_SCHEMA_DEPTH)
      .map(([member, inner]) => [member, buildSchemaExample(inner, root, member, depth + 1)]),
  );
}
