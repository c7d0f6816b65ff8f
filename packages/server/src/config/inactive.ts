import { isDeepStrictEqual } from 'node:util';
import { type FloeConfig, FloeConfigSchema, type OrgConfig } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/references';
import { isObject, type Json } from '@floe/contract/json';
import { formatPath } from './problem.ts';

/** A part of floe.yaml that stands for a feature: `smtp`, `orgs.monitors` … */
export type Section =
  | Exclude<keyof FloeConfig, 'orgs'>
  | `orgs.${Exclude<keyof OrgConfig, 'id' | 'name' | 'timezone'>}`;

/** Set by every org; no feature of their own. */
const PLAIN = new Set(['id', 'name', 'timezone']);

/**
 * Sections the file sets to something other than their default although nothing reads them yet: a
 * setting that does nothing has to be said out loud.
 */
export function inactiveSections(
  tree: Json,
  config: FloeConfig,
  implemented: ReadonlySet<string> | undefined,
  lineOf: (path: ConfigPath) => number | undefined,
): string[] {
  if (implemented === undefined || !isObject(tree)) return [];
  const found: string[] = [];
  const compare = (section: string, path: ConfigPath, value: unknown, byDefault: unknown) => {
    if (!implemented.has(section) && !isDeepStrictEqual(value, byDefault))
      found.push(`${formatPath(path)} (line ${lineOf(path)})`);
  };
  const defaults = FloeConfigSchema.parse({ orgs: [{ id: 'default' }] });
  for (const [section, value] of Object.entries(config))
    if (section !== 'orgs' && tree[section] !== undefined)
      compare(section, [section], value, Object.entries(defaults).find(([name]) => name === section)?.[1]);
  const orgDefaults = new Map<string, unknown>(Object.entries(defaults.orgs[0] ?? {}));
  for (const [index, org] of config.orgs.entries())
    for (const [section, value] of Object.entries(org))
      if (!PLAIN.has(section))
        compare(`orgs.${section}`, ['orgs', index, section], value, orgDefaults.get(section));
  return found;
}
