import { basename } from 'node:path';
import type { OrgConfig } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/references';
import type { LoadedConfig } from '../config/load-config.ts';
import { DEFAULT_FILE_NAME } from './source-location.ts';

/** A kind of object of which an org of floe.yaml has a list. */
export interface ListedResourceKind<Config> {
  /** Subject of its operations and of its audit actions: `teams`, `keys` … */
  readonly kind: string;
  /** Where the list is in an org. Absent: in the section of that name. */
  readonly section?: readonly string[];
  list(org: OrgConfig): readonly Config[];
  /** Where an object is in an org, if not at its place in the list. */
  pathOf?(config: Config): ConfigPath;
  /** What no two objects of an org have in common. */
  nameOf(config: Config): string;
  /** Whether other objects may name one of this kind: it is removed after them. */
  readonly isReferenced?: boolean;
}

/** An object of floe.yaml and where it is written. */
export interface DeclaredResource<Config> {
  readonly orgId: string;
  /** Zone of the org. */
  readonly timezone: string;
  readonly config: Config;
  /** Place in its list. */
  readonly index: number;
  readonly path: ConfigPath;
  /** Name of the file. */
  readonly file: string;
  readonly line: number | null;
}

/** What of a loaded file says what it declares, and where. */
export type ConfigFile = Pick<LoadedConfig, 'config' | 'path' | 'lineOf' | 'sets'>;

/** Name of the file that runs, without its folder. */
export function configFileName({ path }: Pick<ConfigFile, 'path'>): string {
  return basename(path ?? DEFAULT_FILE_NAME);
}

/** What a file itself says of a kind, in every org or in one. */
export function listDeclaredResources<Config>(
  file: ConfigFile,
  { kind, section = [kind], list, pathOf }: ListedResourceKind<Config>,
  orgId?: string,
): DeclaredResource<Config>[] {
  return file.config.orgs.flatMap((org, at) => {
    if (orgId !== undefined && org.id !== orgId) return [];
    const place = { orgId: org.id, timezone: org.timezone, file: configFileName(file) };
    const objects = list(org).map((config, position) => {
      const path: ConfigPath = ['orgs', at, ...(pathOf?.(config) ?? [...section, position])];
      return { ...place, config, index: position, path, line: file.lineOf(path) ?? null };
    });
    return objects.filter(({ path }) => file.sets(path));
  });
}
