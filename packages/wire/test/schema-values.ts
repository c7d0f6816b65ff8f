// Values that a JSON schema allows: one for each member and each choice, with no other optional members.
import type { Json, JsonObject } from '@floe/contract/json';
import type { SchemaInDocument } from '@floe/testkit/official-requests';
import { asArray, asObject, asString, isJsonArray, isJsonObject } from '../src/json-narrowing.ts';

/** A value of a schema, and the path of the member for which the value was made. */
export interface SchemaValue {
  readonly value: Json;
  readonly path: readonly string[];
}

const MAX_DEPTH = 9;

/** A place in a schema. */
interface SchemaPlace {
  /** Name of the member. */
  readonly name: string;
  readonly depth: number;
  /** References on the way to this place. Each may repeat once. */
  readonly references: readonly string[];
}

/** Lists the values of a schema. A string is the one that `strings` has for the member, or else contains its name. */
export function listSchemaValues(
  { schema, document }: SchemaInDocument,
  strings: Readonly<Record<string, string>>,
): SchemaValue[] {
  return new SchemaValueLister(document, strings).listAt(schema, { name: '', depth: 0, references: [] });
}

class SchemaValueLister {
  readonly #document: JsonObject;
  readonly #strings: Readonly<Record<string, string>>;

  constructor(document: JsonObject, strings: Readonly<Record<string, string>>) {
    this.#document = document;
    this.#strings = strings;
  }

  listAt(given: Json | undefined, from: SchemaPlace): SchemaValue[] {
    const { schema, references } = this.#resolve(given, from.references);
    if (schema === undefined || from.depth > MAX_DEPTH) return [];
    const place = { ...from, references };
    const properties = asObject(schema['properties']) ?? {};
    const hasProperties = Object.keys(properties).length > 0;
    const choices = asArray(schema['anyOf'] ?? schema['oneOf']);
    if (choices.length > 0 && !hasProperties) return choices.flatMap((choice) => this.listAt(choice, place));
    if (schema['const'] !== undefined) return single(schema['const']);
    if (isJsonArray(schema['enum'])) return schema['enum'].flatMap(single);
    const types = isJsonArray(schema['type']) ? schema['type'] : [schema['type']];
    switch (types.find((type) => type !== 'null') ?? types[0] ?? (hasProperties ? 'object' : 'any')) {
      case 'object':
        return this.#listObjects(schema, properties, place);
      case 'array':
        return this.listAt(schema['items'], { ...place, depth: place.depth + 1 }).map(({ value, path }) => ({
          value: [value],
          path: ['0', ...path],
        }));
      case 'integer':
        return single(typeof schema['minimum'] === 'number' ? Math.max(schema['minimum'], 1) + 1 : 3);
      case 'number':
        return single(0.25);
      case 'boolean':
        return single(true);
      case 'string':
        return single(this.#strings[place.name] ?? `some ${place.name}`);
      case 'null':
        return [];
      default:
        return single({ any: `some ${place.name}` });
    }
  }

  #listObjects(schema: JsonObject, properties: JsonObject, place: SchemaPlace): SchemaValue[] {
    const inner = (name: string): SchemaValue[] =>
      this.listAt(properties[name], { ...place, name, depth: place.depth + 1 });
    const required: Record<string, Json> = {};
    for (const entry of asArray(schema['required'])) {
      const name = asString(entry) ?? '';
      if (properties[name] !== undefined) required[name] = inner(name)[0]?.value ?? null;
    }
    const values = Object.keys(properties).flatMap((name) =>
      inner(name).map(({ value, path }) => ({
        value: { ...required, [name]: value },
        path: [name, ...path],
      })),
    );
    return values.length > 0 ? values : single({ ...required, key: 'some value' });
  }

  /** Follows references, and merges the parts of `allOf`. */
  #resolve(
    given: Json | undefined,
    before: readonly string[],
  ): { readonly schema?: JsonObject; readonly references: readonly string[] } {
    let schema = asObject(given) ?? {};
    let references = before;
    for (let name = asString(schema['$ref']); name !== undefined; name = asString(schema['$ref'])) {
      if (references.filter((known) => known === name).length > 1) return { references };
      references = [...references, name];
      schema = asObject(this.#read(name)) ?? {};
    }
    for (const part of asArray(schema['allOf'])) {
      const { schema: added = {} } = this.#resolve(part, references);
      schema = {
        ...added,
        ...schema,
        properties: { ...asObject(schema['properties']), ...asObject(added['properties']) },
        required: [...asArray(schema['required']), ...asArray(added['required'])],
      };
    }
    return { schema, references };
  }

  #read(reference: string): Json | undefined {
    let at: Json | undefined = this.#document;
    for (const step of reference.slice(2).split('/')) at = asObject(at)?.[decodeURIComponent(step)];
    return at;
  }
}

function single(value: Json): SchemaValue[] {
  return [{ value, path: [] }];
}

/** Copies a value without the member at `path`. */
export function removeMember(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  if (isJsonArray(value))
    return value.flatMap((entry, index) => {
      const left = String(index) === step ? removeMember(entry, rest) : entry;
      return left === undefined ? [] : [left];
    });
  return isJsonObject(value) ? { ...value, [step]: removeMember(value[step], rest) } : value;
}
