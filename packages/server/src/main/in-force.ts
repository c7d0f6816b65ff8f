import type { ProviderConfig } from '@floe/contract/config';
import type { LoadedConfig } from '../config/load.ts';
import { type CompiledCatalogs, compileCatalogs } from '../gateway/compile.ts';
import type { GatewaySnapshot } from '../gateway/gateway.ts';
import { loadStoredRules } from '../guardrails/stored-rules.ts';
import { isAtHome } from '../platform/config/provider-secrets.ts';
import {
  FIRST_ORG,
  loadStoredConfig,
  type MergedConfig,
  mergeConfig,
  type SetsField,
} from '../platform/config/stored-config.ts';
import { cachePurges } from '../store/cache-purges.ts';
import type { Parts } from './parts.ts';

/** Which settings the file gives itself. */
export function setsOf({ config, sets }: LoadedConfig): SetsField {
  return (orgId, section) => sets(['orgs', config.orgs.findIndex(({ id }) => id === orgId), section]);
}

/** What is in force of the configuration. */
export interface Running extends MergedConfig {
  /** Providers that are left out, as `org/provider`, and what each lacks. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Where providers go that the operator named: what the API made is judged like any other address. */
function namedOrigins({ orgs, made }: MergedConfig, catalogs: GatewaySnapshot['catalogs']): string[] {
  const isMade = (orgId: string, providerId: string) =>
    orgs.some(
      ({ id, providers }) => id === orgId && providers.some((one) => one.id === providerId && made.has(one)),
    );
  return [...catalogs].flatMap(([orgId, { providers }]) =>
    [...providers.values()]
      .filter(({ id }) => !isMade(orgId, id))
      .flatMap(({ origin, via }) => [origin, via?.proxy?.origin ?? []].flat()),
  );
}

export interface InForce extends MergedConfig, Pick<CompiledCatalogs, 'catalogs' | 'notYet'> {
  /** What cannot be used, and why. */
  readonly leftOut: CompiledCatalogs['unusable'];
  /** Addresses that the operator named by the short forms of the file. */
  readonly namedOrigins: readonly string[];
}

/** Puts floe.yaml and what the API made together and compiles both the same way. */
export async function compileInForce(file: LoadedConfig, parts: Parts): Promise<InForce> {
  const { database, secretsKey, environment, prices } = parts;
  const { orgs, outbound } = file.config;
  const environmentOrg = orgs.length === 0 ? FIRST_ORG : null;
  const stored = await loadStoredConfig(database.read, secretsKey);
  const merged = mergeConfig(orgs, setsOf(file), stored, environmentOrg);
  const isOnly = merged.orgCount <= 1;
  const mayBorrow = (config: ProviderConfig) => !merged.made.has(config) || (isOnly && isAtHome(config));
  const { catalogs, unusable, notYet } = compileCatalogs(
    merged.orgs,
    environmentOrg,
    { variable: environment.variable, outbound, mayBorrow },
    { book: prices, stored: await loadStoredRules(database.read), purges: await cachePurges(database.read) },
  );
  const leftOut = [...stored.unusable, ...unusable];
  return { ...merged, catalogs, notYet, leftOut, namedOrigins: namedOrigins(merged, catalogs) };
}
