import { basename } from 'node:path';
import type { OrgConfig } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/references';
import type { LoadedConfig } from '../config/load.ts';
import { SECTIONS, type Section, settingsOf } from './config/sections.ts';
import { USUAL_FILE } from './file-place.ts';

/** An object of floe.yaml and where it is written. */
export interface Declared<Config> {
  readonly orgId: string;
  /** Zone of the org. */
  readonly timezone: string;
  readonly config: Config;
  /** Place among those of its section. */
  readonly position: number;
  readonly path: ConfigPath;
  /** Name of the file. */
  readonly file: string;
  readonly line: number | null;
}

type ListSection = {
  [Name in keyof OrgConfig]: OrgConfig[Name] extends readonly object[] ? Name : never;
}[keyof OrgConfig];

/** An org of floe.yaml: its objects by section. */
export type FileOrg = { readonly [Name in ListSection]: readonly Declared<OrgConfig[Name][number]>[] } & {
  readonly relayRules: readonly Declared<OrgConfig['relay']['rules'][number]>[];
  /** Settings that the file sets itself. */
  readonly settings: readonly Declared<{ readonly section: Section; readonly value: unknown }>[];
};

/** What of a loaded file says where an object is written. */
export type FileText = Pick<LoadedConfig, 'config' | 'path' | 'lineOf' | 'sets'>;

/** Name of the file that runs, without its folder. */
export function fileNameOf({ path }: Pick<FileText, 'path'>): string {
  return basename(path ?? USUAL_FILE);
}

/** Every org of a file with its objects. */
export function fileOrgs(file: FileText): FileOrg[] {
  return file.config.orgs.map((_, at) => fileOrg(file, at));
}

/** The org at a place in the file. A section is read when it is asked for. */
export function fileOrg(file: FileText, at: number): FileOrg {
  const org = file.config.orgs[at];
  if (!org) throw new RangeError(`${fileNameOf(file)} has no org ${at}`);
  const place = { orgId: org.id, timezone: org.timezone, file: fileNameOf(file) };
  const declared = <Config>(config: Config, position: number, ...steps: ConfigPath): Declared<Config> => {
    const path: ConfigPath = ['orgs', at, ...steps];
    return { ...place, config, position, path, line: file.lineOf(path) ?? null };
  };
  const list = <Config>(entries: readonly Config[], ...section: ConfigPath) =>
    entries.map((config, index) => declared(config, index, ...section, index));
  return {
    get teams() {
      return list(org.teams, 'teams');
    },
    get keys() {
      return list(org.keys, 'keys');
    },
    get providers() {
      return list(org.providers, 'providers');
    },
    get routes() {
      return list(org.routes, 'routes');
    },
    get policies() {
      return list(org.policies, 'policies');
    },
    get limits() {
      return list(org.limits, 'limits');
    },
    get budgets() {
      return list(org.budgets, 'budgets');
    },
    get channels() {
      return list(org.channels, 'channels');
    },
    get monitors() {
      return list(org.monitors, 'monitors');
    },
    get boards() {
      return list(org.boards, 'boards');
    },
    get relayRules() {
      return list(org.relay.rules, 'relay', 'rules');
    },
    get settings() {
      const values = settingsOf(org);
      return SECTIONS.filter((section) => file.sets(['orgs', at, section])).map((section, index) =>
        declared({ section, value: values[section] }, index, section),
      );
    },
  };
}
