// A JSON Schema validator with the keywords of the official specifications, for tests only.
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { asArray, asObject, asString, isJsonArray } from '@floe/wire/json-narrowing';

/** Known errors in a specification that the validation must ignore. */
export interface SchemaRelaxations {
  /** Members that may be absent or null although the schema requires them. */
  readonly optional: ReadonlySet<string>;
  /** Ends of paths with an enum that real providers do not comply with. */
  readonly openEnums?: readonly string[];
}

/**
 * Returns descriptions of how `value` violates `schema`; an empty list if it is valid. References are
 * resolved in `root`.
 */
export function findSchemaViolations(
  value: Json | undefined,
  schema: Json | undefined,
  root: JsonObject,
  relaxed: SchemaRelaxations,
): string[] {
  return findViolationsAt({ path: '$', value }, schema, { root, relaxed });
}

/** A part of the validated value. */
interface CheckedValue {
  readonly path: string;
  readonly value: Json | undefined;
}

function findViolationsAt(
  { path, value }: CheckedValue,
  schema: Json | undefined,
  specification: { readonly root: JsonObject; readonly relaxed: SchemaRelaxations },
): string[] {
  if (!isJsonObject(schema)) return [];
  const { root, relaxed } = specification;
  const again = (inner: Json | undefined, at = path, target = value): string[] =>
    findViolationsAt({ path: at, value: target }, inner, specification);
  const reference = asString(schema['$ref']);
  if (reference !== undefined) return again(resolveReference(reference, root));
  if (value === null && schema['nullable'] === true) return [];
  const found: string[] = [...(isJsonArray(schema['allOf']) ? schema['allOf'] : [])].flatMap((part) =>
    again(part),
  );
  const choices = asArray(schema['anyOf'] ?? schema['oneOf']);
  if (choices.length > 0) {
    const tries = choices.map((choice) => again(choice));
    if (!tries.some((failures) => failures.length === 0)) found.push(closestChoice(tries));
  }
  if (schema['const'] !== undefined && JSON.stringify(schema['const']) !== JSON.stringify(value))
    found.push(`${path} is not ${JSON.stringify(schema['const'])}`);
  const listed = relaxed.openEnums?.some((end) => path.endsWith(end)) ? undefined : schema['enum'];
  if (isJsonArray(listed) && !listed.some((entry) => entry === value))
    found.push(`${path}: ${JSON.stringify(value)} is not in the enum`);
  const types = typeof schema['type'] === 'string' ? [schema['type']] : asArray(schema['type']);
  if (types.length > 0 && !types.some((type) => isType(value, type)))
    return [...found, `${path} is not ${types.join(' or ')}`];
  found.push(...findBoundViolations(value, schema, path));
  if (isJsonArray(value))
    return [...found, ...value.flatMap((entry, index) => again(schema['items'], `${path}[${index}]`, entry))];
  if (!isJsonObject(value)) return found;
  for (const key of asArray(schema['required']))
    if (typeof key === 'string' && value[key] === undefined && !relaxed.optional.has(key))
      found.push(`${path}.${key} is missing`);
  const properties = asObject(schema['properties']) ?? {};
  if (schema['additionalProperties'] === false)
    for (const key of Object.keys(value))
      if (!Object.hasOwn(properties, key)) found.push(`${path}.${key} is unknown`);
  for (const [key, inner] of Object.entries(properties)) {
    if (value[key] === undefined || (value[key] === null && relaxed.optional.has(key))) continue;
    found.push(...again(inner, `${path}.${key}`, value[key]));
  }
  return found;
}

function findBoundViolations(value: Json | undefined, schema: JsonObject, path: string): string[] {
  const size =
    typeof value === 'string'
      ? [value.length, 'Length']
      : isJsonArray(value)
        ? [value.length, 'Items']
        : [value, 'imum'];
  const [count, word] = size;
  if (typeof count !== 'number') return [];
  const least = schema[word === 'imum' ? 'minimum' : `min${word}`];
  const most = schema[word === 'imum' ? 'maximum' : `max${word}`];
  if (typeof least === 'number' && count < least) return [`${path} is below ${least}: ${count}`];
  return typeof most === 'number' && count > most ? [`${path} is above ${most}: ${count}`] : [];
}

function closestChoice(tries: readonly (readonly string[])[]): string {
  return [...tries].sort((a, b) => a.length - b.length)[0]?.join('; ') ?? 'no choice fits';
}

function isType(value: Json | undefined, type: Json): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return isJsonArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'any') return true;
  return typeof value === type;
}

/** Resolves a JSON pointer, or the name of a schema (Google's discovery documents). */
function resolveReference(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#')) return asObject(root['schemas'])?.[reference];
  let at: Json | undefined = root;
  for (const step of reference.slice(2).split('/')) at = asObject(at)?.[decodeURIComponent(step)];
  return at;
}
