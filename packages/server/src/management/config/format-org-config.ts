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

/** Converts an object to a tree without null and undefined values, because floe.yaml applies their defaults. */
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
