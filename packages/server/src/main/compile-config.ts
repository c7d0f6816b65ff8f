import { isDeepStrictEqual } from 'node:util';
import type { OrgConfig, ProviderConfig } from '@floe/contract/config';
import { compareOrgs } from '../config/compare-orgs.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { CompiledCatalogs } from '../gateway/compile-catalogs.ts';
import type { GatewaySnapshot } from '../gateway/shared-gateway-dependencies.ts';
import {
  DEFAULT_ORG_ID,
  type IsSetInConfigFile,
  type MergedConfig,
} from '../platform/config/stored-config.ts';
import { listOrgs } from '../store/orgs.ts';
import { type CompiledOrg, compileOrgs, type OrgCompilationDependencies } from './compile-orgs.ts';

/** Returns a function that returns whether the file sets a section of an organization. */
export function createConfigSectionChecker({ config, sets }: LoadedConfig): IsSetInConfigFile {
  const positions = new Map(config.orgs.map(({ id }, at) => [id, at]));
  return (orgId, section) => sets(['orgs', positions.get(orgId) ?? -1, section]);
}

/** The configuration in use: floe.yaml merged with the resources that were created with the API. */
export interface EffectiveConfig extends MergedConfig {
  /** Number of organizations of the installation, including those without configuration. */
  readonly orgCount: number;
  /** Why a provider is unusable, by `org/provider`. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The configuration of all organizations, prepared for use. Immutable. */
export interface CompiledConfig extends EffectiveConfig {
  readonly file: LoadedConfig;
  /** Includes organizations without a configuration. */
  readonly byOrg: ReadonlyMap<string, CompiledOrg>;
  readonly catalogs: GatewaySnapshot['catalogs'];
  /** Providers of the organizations that this compilation concerned, with the reason. */
  readonly unusableProviders: CompiledCatalogs['unusable'];
  readonly unusableResources: CompiledOrg['unusableResources'];
  readonly unsupportedSettings: CompiledCatalogs['unsupportedSettings'];
}

/**
 * Merges floe.yaml with the resources that were created with the API, and prepares the result for use. If there
 * is an earlier result, compiles only the organizations in `changed` and those that the file changes. If there
 * are no such organizations, returns the earlier result.
 */
export async function compileConfig(
  file: LoadedConfig,
  parts: OrgCompilationDependencies,
  before: CompiledConfig | null = null,
  changed: ReadonlySet<string> = new Set(),
): Promise<CompiledConfig> {
  if (before && before.file === file && changed.size === 0) return before;
  const { orgs: fileOrgs } = file.config;
  const storedIds = await listStoredOrgIds(parts, before && changed);
  for (const [id, org] of before?.byOrg ?? []) if (org.isStored && !changed.has(id)) storedIds.add(id);
  const orgCount = countOrgs(fileOrgs, storedIds);
  const environmentOrg = fileOrgs.length === 0 ? DEFAULT_ORG_ID : null;
  const all = new Set([
    ...fileOrgs.map(({ id }) => id),
    ...storedIds,
    ...(environmentOrg ? [environmentOrg] : []),
  ]);
  const ids =
    before && !affectsAllOrgs(before, file, orgCount)
      ? new Set([...changed, ...(await compareOrgs(before.file, file)).changed])
      : all;
  const context = { file, environmentOrg, isOnly: orgCount <= 1, sets: createConfigSectionChecker(file) };
  const compiled = await compileOrgs(
    [...ids].filter((id) => all.has(id)),
    context,
    parts,
  );
  const byOrg = new Map<string, CompiledOrg>();
  for (const id of all) {
    const org = compiled.get(id) ?? before?.byOrg.get(id);
    if (org) byOrg.set(id, org);
  }
  return { file, orgCount, byOrg, ...combineOrgs(byOrg), ...collectProblems(compiled) };
}

/** Which of these organizations the database has. Null for all. */
async function listStoredOrgIds(
  { database }: OrgCompilationDependencies,
  ids: ReadonlySet<string> | null,
): Promise<Set<string>> {
  if (ids?.size === 0) return new Set();
  const orgs = await listOrgs(database.read, ids ? [...ids] : undefined);
  return new Set(orgs.map(({ id }) => id));
}

/** Number of organizations that exist, in floe.yaml or in the database. */
function countOrgs(file: readonly OrgConfig[], stored: ReadonlySet<string>): number {
  return new Set([...file.map(({ id }) => id), ...stored]).size;
}

/** Whether a setting has changed on which the catalogs of all organizations depend. */
function affectsAllOrgs(before: CompiledConfig, file: LoadedConfig, orgCount: number): boolean {
  return (
    before.orgCount <= 1 !== orgCount <= 1 ||
    (before.file.config.orgs.length === 0) !== (file.config.orgs.length === 0) ||
    !isDeepStrictEqual(before.file.config.outbound, file.config.outbound)
  );
}

function combineOrgs(
  byOrg: CompiledConfig['byOrg'],
): Pick<CompiledConfig, 'orgs' | 'apiProviders' | 'catalogs' | 'problems'> {
  const orgs: OrgConfig[] = [];
  const apiProviders = new Set<ProviderConfig>();
  const catalogs = new Map<string, NonNullable<CompiledOrg['catalog']>>();
  const problems = new Map<string, string>();
  for (const [id, org] of byOrg) {
    if (org.config) orgs.push(org.config);
    for (const provider of org.apiProviders) apiProviders.add(provider);
    if (org.catalog) catalogs.set(id, org.catalog);
    for (const { id: provider, reason } of org.unusableProviders) problems.set(provider, reason);
  }
  return { orgs, apiProviders, catalogs, problems };
}

function collectProblems(
  compiled: CompiledConfig['byOrg'],
): Pick<CompiledConfig, 'unusableProviders' | 'unusableResources' | 'unsupportedSettings'> {
  const orgs = [...compiled.values()];
  return {
    unusableProviders: orgs.flatMap((org) => org.unusableProviders),
    unusableResources: orgs.flatMap((org) => org.unusableResources),
    unsupportedSettings: orgs.flatMap((org) => org.unsupportedSettings),
  };
}
