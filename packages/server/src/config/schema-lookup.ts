import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import { isJsonObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';

type Schema = z.core.$ZodType;

/**
 * Returns a schema's zod definition. The zod documentation recommends this cast for libraries,
 * because every schema that zod creates is one of `$ZodTypes`.
 */
export function getZodDefinition(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  return (schema as z.core.$ZodTypes)._zod.def;
}

/**
 * Returns the alternatives of a schema, such as the members of a union, without defaults, optionality, null and
 * transformations.
 */
export function unwrapAlternatives(schema: Schema): Schema[] {
  const def = getZodDefinition(schema);
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrapAlternatives(def.innerType);
    case 'pipe':
      return unwrapAlternatives(def.in);
    case 'lazy':
      return unwrapAlternatives(def.getter());
    case 'union':
      return def.options.flatMap(unwrapAlternatives);
    default:
      return [schema];
  }
}

/** Returns all schemas that apply to a value at `path`. Empty if the path is unknown. */
export function findSchemasAt(root: Schema, path: ConfigPath): readonly Schema[] {
  let here = unwrapAlternatives(root);
  for (const step of path) {
    here = here.flatMap((schema) => {
      const def = getZodDefinition(schema);
      if (def.type === 'object') return typeof step === 'string' ? propertySchemas(def.shape, step) : [];
      if (def.type === 'array') return typeof step === 'number' ? unwrapAlternatives(def.element) : [];
      if (def.type === 'record') return typeof step === 'string' ? unwrapAlternatives(def.valueType) : [];
      return [];
    });
  }
  return here;
}

function propertySchemas(shape: Readonly<Record<string, Schema>>, name: string): Schema[] {
  const found = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return found === undefined ? [] : unwrapAlternatives(found);
}

/**
 * Returns the keys that a map at `path` may have. If several kinds of maps are possible, uses those
 * that match the literal fields of `value`.
 */
export function listSchemaKeysAt(root: Schema, path: ConfigPath, value?: Json): string[] {
  const shapes = findSchemasAt(root, path).flatMap((schema) => {
    const def = getZodDefinition(schema);
    return def.type === 'object' ? [def.shape] : [];
  });
  const own = shapes.filter((shape) => matchesLiteralFields(shape, value));
  return [...new Set((own.length > 0 ? own : shapes).flatMap((shape) => Object.keys(shape)))];
}

/** Whether `value` has an accepted value in every field that has literal values. */
function matchesLiteralFields(shape: Readonly<Record<string, Schema>>, value: Json | undefined): boolean {
  if (!isJsonObject(value)) return true;
  return Object.entries(shape).every(([name, schema]) => {
    const words = literalValues(schema);
    const given = value[name];
    return words === null || given === undefined || words.includes(String(given));
  });
}

/** The literal values that a schema accepts, or null if it accepts others too. */
function literalValues(schema: Schema): string[] | null {
  const words: string[] = [];
  for (const one of unwrapAlternatives(schema)) {
    const def = getZodDefinition(one);
    if (def.type === 'literal') words.push(...def.values.map(String));
    else if (def.type === 'enum') words.push(...Object.values(def.entries).map(String));
    else return null;
  }
  return words;
}

/**
 * Returns the scalar types that a value at `path` may have. A schema that accepts only words from a fixed list
 * does not count as `text`.
 */
export function findScalarKindsAt(
  root: Schema,
  path: ConfigPath,
): ReadonlySet<'text' | 'number' | 'boolean'> {
  const kinds = new Set<'text' | 'number' | 'boolean'>();
  for (const schema of findSchemasAt(root, path)) {
    const { type } = getZodDefinition(schema);
    if (type === 'number' || type === 'boolean') kinds.add(type);
    else if (type === 'string') kinds.add('text');
  }
  return kinds;
}
