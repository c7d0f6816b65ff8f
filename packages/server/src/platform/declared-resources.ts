import { basename } from 'node:path';
import type { OrgConfig } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import type { LoadedConfig } from '../config/load-config.ts';
import { DEFAULT_CONFIG_FILE_NAME } from './source-location.ts';

/** A resource kind whose resources form a list under an organization in floe.yaml. */
export interface DeclaredResourceKind<Config> {
  /** Name of the kind in operations and audit actions, such as `teams` or `keys`. */
  readonly kind: string;
  /** Path of the list in an organization. Default: the section with the name of the kind. */
  readonly section?: readonly string[];
  list(org: OrgConfig): readonly Config[];
  /** Path of a resource in an organization, if it is not its position in the list. */
  pathOf?(config: Config): ConfigPath;
  /** The unique name of a resource in its organization. */
  nameOf(config: Config): string;
  /** Whether other resources can refer to this kind. If so, it is removed after them. */
  readonly isReferenced?: boolean;
}

/** A resource in floe.yaml and its position in the file. */
export interface DeclaredResource<Config> {
  readonly orgId: string;
  /** Time zone of the organization. */
  readonly timezone: string;
  readonly config: Config;
  /** Index in its list. */
  readonly index: number;
  readonly path: ConfigPath;
  /** Name of the file. */
  readonly file: string;
  readonly line: number | null;
}

/**
 * The parts of a loaded configuration that are needed to list the resources in its file: the configuration,
 * the path of the file, and functions that return the line of a field and whether the file sets the field.
 */
export type ConfigFile = Pick<LoadedConfig, 'config' | 'path' | 'lineOf' | 'sets'>;

/** Returns the name of the configuration file without its directory. */
export function getConfigFileName({ path }: Pick<ConfigFile, 'path'>): string {
  return basename(path ?? DEFAULT_CONFIG_FILE_NAME);
}

/** Returns the resources of one kind that a file defines in one organization. */
export function listDeclaredResources<Config>(
  file: ConfigFile,
  kind: DeclaredResourceKind<Config>,
  orgId: string,
): DeclaredResource<Config>[] {
  const at = file.config.orgs.findIndex(({ id }) => id === orgId);
  return [...iterateDeclaredResources(file, kind, at)];
}

/** Yields the resources of one kind that a file defines in the organization at this index. */
export function* iterateDeclaredResources<Config>(
  file: ConfigFile,
  { kind, section = [kind], list, pathOf }: DeclaredResourceKind<Config>,
  at: number,
): Generator<DeclaredResource<Config>> {
  const org = file.config.orgs[at];
  if (!org) return;
  const place = { orgId: org.id, timezone: org.timezone, file: getConfigFileName(file) };
  for (const [index, config] of list(org).entries()) {
    const path: ConfigPath = ['orgs', at, ...(pathOf?.(config) ?? [...section, index])];
    if (file.sets(path)) yield { ...place, config, index, path, line: file.lineOf(path) ?? null };
  }
}
