import { isDeepStrictEqual } from 'node:util';
import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import * as z from 'zod';
import { formatConfigPath } from './config-problem.ts';
import { getZodDefinition } from './schema-lookup.ts';

/** A schema field that has no fields below it. */
export interface LeafSchemaField {
  /** Path from the root. `[]` means every entry of a list, `*` every key of a map. */
  readonly path: readonly string[];
  /** Whether the field is accepted but has no effect (`inactive: true` in its metadata). */
  readonly inactive: boolean;
  /** The value of the field if the file does not set it. */
  readonly defaultValue: unknown;
}

/**
 * Returns the leaf fields of a schema, each path once. A leaf is a scalar, a list or map of scalars,
 * or a field whose schema allows any value.
 */
export function listLeafSchemaFields(root: z.core.$ZodType): LeafSchemaField[] {
  const found = new Map<string, LeafSchemaField>();
  const open = new Set<z.core.$ZodType>();
  const visit = (schema: z.core.$ZodType, field: LeafSchemaField): void => {
    const inactive = field.inactive || z.globalRegistry.get(schema)?.['inactive'] === true;
    const here = { ...field, inactive };
    const below = (child: z.core.$ZodType, name: string) =>
      visit(child, { path: [...field.path, name], inactive, defaultValue: undefined });
    const def = getZodDefinition(schema);
    if (def.type === 'object') for (const [name, child] of Object.entries(def.shape)) below(child, name);
    else if (def.type === 'array' && hasFields(def.element)) below(def.element, '[]');
    else if (def.type === 'record' && hasFields(def.valueType)) below(def.valueType, '*');
    else if (def.type === 'union') for (const option of def.options) visit(option, here);
    else if (def.type === 'pipe') visit(def.in, here);
    else if (def.type === 'default' || def.type === 'prefault')
      visit(def.innerType, { ...here, defaultValue: def.defaultValue });
    else if (def.type === 'optional') visit(def.innerType, here);
    else if (def.type === 'lazy' && !open.has(schema)) {
      open.add(schema);
      visit(def.getter(), here);
      open.delete(schema);
    } else if (!found.has(here.path.join('.'))) found.set(here.path.join('.'), here);
  };
  visit(root, { path: [], inactive: false, defaultValue: undefined });
  return [...found.values()];
}

/** Whether a value of this schema can be a map with named fields. */
function hasFields(schema: z.core.$ZodType): boolean {
  const def = getZodDefinition(schema);
  if (def.type === 'object') return true;
  if (def.type === 'union') return def.options.some(hasFields);
  if (def.type === 'pipe') return hasFields(def.in);
  if (def.type === 'array') return hasFields(def.element);
  return def.type === 'default' || def.type === 'prefault' || def.type === 'optional'
    ? hasFields(def.innerType)
    : false;
}

/**
 * Returns the fields that have no effect although the file sets them to a value other than the
 * default. Floe warns about them.
 *
 * @param isSet returns whether the file sets a field
 * @returns for each field a text such as `telemetry.otlp_endpoint (line 3)`
 */
export function findInactiveFields(
  schema: z.core.$ZodType,
  config: unknown,
  isSet: (path: ConfigPath) => boolean,
  lineOf: (path: ConfigPath) => number | undefined,
): string[] {
  return listLeafSchemaFields(schema)
    .filter((field) => field.inactive)
    .flatMap(({ path, defaultValue }) =>
      findFieldLocations(config, path)
        .filter((place) => isSet(place.path) && !isDeepStrictEqual(place.value, defaultValue))
        .map((place) => `${formatConfigPath(place.path)} (line ${lineOf(place.path)})`),
    );
}

interface FieldLocation {
  readonly path: ConfigPath;
  readonly value: unknown;
}

/** The paths at which a configuration contains a field of the schema. */
function findFieldLocations(config: unknown, path: readonly string[]): FieldLocation[] {
  let places: FieldLocation[] = [{ path: [], value: config }];
  for (const step of path)
    places = places.flatMap(({ path: here, value }) => {
      if (typeof value !== 'object' || value === null) return [];
      const entries: [string | number, unknown][] = Array.isArray(value)
        ? step === '[]'
          ? [...value.entries()]
          : []
        : Object.entries(value).filter(([name]) => step === '*' || step === name);
      return entries.map(([name, child]) => ({ path: [...here, name], value: child }));
    });
  return places;
}
