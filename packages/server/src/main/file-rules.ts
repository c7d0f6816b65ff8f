import type { LoadedConfig } from '../config/load.ts';
import type { FileRules } from '../management/guardrails/rule-host.ts';
import type { RelayHost } from '../management/relay/relay-host.ts';
import { type FileOrg, fileNameOf, fileOrg } from '../platform/file-org.ts';

/** The limits and budgets that the running floe.yaml gives an org, with their lines. @param timezone of an org it does not name */
export function fileRulesOf(loaded: LoadedConfig, orgId: string, timezone: string): FileRules {
  const { file, org, config } = find(loaded, orgId);
  if (!org || !config) return { limits: [], budgets: [], file, timezone };
  return { limits: org.limits, budgets: org.budgets, file, timezone: config.timezone };
}

/** What the running floe.yaml says about the relay of an org. */
export function fileRelayOf(loaded: LoadedConfig, orgId: string): ReturnType<RelayHost['fileRelay']> {
  const { file, org, config } = find(loaded, orgId);
  if (!org || !config) return null;
  return { config: config.relay, name: file, lineOf: (index) => org.relayRules[index]?.line ?? null };
}

function find(loaded: LoadedConfig, orgId: string) {
  const at = loaded.config.orgs.findIndex(({ id }) => id === orgId);
  const org: FileOrg | null = at === -1 ? null : fileOrg(loaded, at);
  return { file: fileNameOf(loaded), org, config: loaded.config.orgs[at] };
}
