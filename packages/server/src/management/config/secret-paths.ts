import { OrgSchema } from '@floe/contract/config/org';
import { isJsonObject, type Json } from '@floe/contract/json';
import * as z from 'zod';

type OrgPath = readonly (string | number)[];

/** Matches any index of a list and any key of a map. */
const ANY = '*';

let patterns: readonly OrgPath[] | undefined;

/**
 * Returns whether the floe.yaml schema marks the value at this path in an organization as a secret
 * (`writeOnly`).
 */
export function isSecretPath(path: OrgPath): boolean {
  patterns ??= [...findSecretPaths(orgJsonSchema(), [])];
  return patterns.some(
    (pattern) =>
      pattern.length === path.length && pattern.every((step, at) => step === ANY || step === path[at]),
  );
}

function orgJsonSchema(): Json {
  return JSON.parse(JSON.stringify(z.toJSONSchema(OrgSchema, { io: 'input', unrepresentable: 'any' })));
}

/** For a secret map, only its values are secret. Its keys may be shown. */
function* findSecretPaths(schema: Json | undefined, path: OrgPath): Generator<OrgPath> {
  if (!isJsonObject(schema)) return;
  const { writeOnly, properties, additionalProperties, items, anyOf, oneOf } = schema;
  const isMap = isJsonObject(additionalProperties);
  if (writeOnly === true) yield isMap ? [...path, ANY] : path;
  for (const choices of [anyOf, oneOf])
    for (const choice of Array.isArray(choices) ? choices : []) yield* findSecretPaths(choice, path);
  for (const [name, field] of Object.entries(isJsonObject(properties) ? properties : {}))
    yield* findSecretPaths(field, [...path, name]);
  for (const each of [items, additionalProperties]) yield* findSecretPaths(each, [...path, ANY]);
}
