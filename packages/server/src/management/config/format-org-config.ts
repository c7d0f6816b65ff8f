import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { formatYaml } from '../../config/format-yaml.ts';
import { castToJson } from '../validate-input.ts';

/** The effective configuration of an organization, with comment lines for the top of the file. */
export interface OrgConfigDocument {
  readonly org: object;
  readonly comment: readonly string[];
}

/** Formats the configuration of an organization as floe.yaml. Takes a second for thousands of resources. */
export function formatOrgConfig({ org, comment }: OrgConfigDocument): string {
  return formatYaml(toYamlTree({ orgs: [org] }), comment);
}

/**
 * Converts an object to JSON and omits all fields that are null or undefined. These fields can be omitted,
 * because a field that floe.yaml does not contain has its default value.
 */
export function toYamlTree(value: object): JsonObject {
  const tree = castToJson(omitEmpty(value));
  return isJsonObject(tree) ? tree : {};
}

function omitEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null || inner === undefined ? [] : [[name, omitEmpty(inner)]],
    ),
  );
}
