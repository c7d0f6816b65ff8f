import { basename } from 'node:path';
import type { OrgConfig } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/references';
import type { LoadedConfig } from '../config/load.ts';
import { USUAL_FILE } from './file-place.ts';

/** A kind of object of which an org of floe.yaml has a list. */
export interface ListedKind<Config> {
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
  readonly isNamed?: boolean;
}

/** An object of floe.yaml and where it is written. */
export interface Declared<Config> {
  readonly orgId: string;
  /** Zone of the org. */
  readonly timezone: string;
  readonly config: Config;
  /** Place in its list. */
  readonly position: number;
  readonly path: ConfigPath;
  /** Name of the file. */
  readonly file: string;
  readonly line: number | null;
}

/** What of a loaded file says what it declares, and where. */
export type FileText = Pick<LoadedConfig, 'config' | 'path' | 'lineOf' | 'sets'>;

/** Name of the file that runs, without its folder. */
export function fileNameOf({ path }: Pick<FileText, 'path'>): string {
  return basename(path ?? USUAL_FILE);
}

/** What a file itself says of a kind, in every org or in one. */
export function declaredIn<Config>(
  file: FileText,
  { kind, section = [kind], list, pathOf }: ListedKind<Config>,
  orgId?: string,
): Declared<Config>[] {
  return file.config.orgs.flatMap((org, at) => {
    if (orgId !== undefined && org.id !== orgId) return [];
    const place = { orgId: org.id, timezone: org.timezone, file: fileNameOf(file) };
    const objects = list(org).map((config, position) => {
      const path: ConfigPath = ['orgs', at, ...(pathOf?.(config) ?? [...section, position])];
      return { ...place, config, position, path, line: file.lineOf(path) ?? null };
    });
    return objects.filter(({ path }) => file.sets(path));
  });
}
