import { createHash } from 'node:crypto';
import type { RelayConfig, RelayRuleConfig } from '@floe/contract/config';
import { RelaySchema } from '@floe/contract/config/relay';
import {
  type CompiledRelayConfig,
  compileUsableRelayConfig,
  type UnusableRelayRule,
} from '@floe/relay/compile-relay-config';
import { loadShellParser, type ShellParser } from '@floe/relay/shell/shell-parser';

/** One organization's relay configuration, prepared for evaluation. */
export interface VersionedRelayConfig {
  readonly relay: CompiledRelayConfig;
  /** A version that changes whenever the result of any decision can change. */
  readonly version: string;
}

/** A relay rule that was created with the API or the console, and its row id. */
export interface StoredRelayRule {
  readonly id: string;
  readonly config: RelayRuleConfig;
}

/** The relay configurations of all organizations, prepared for evaluation. */
export interface RelayConfigRegistry {
  get(orgId: string): VersionedRelayConfig;
  /** Returns the grammar of shell commands. Loads it in the first call. */
  getGrammar(): Promise<ShellParser>;
  /**
   * Replaces the rules of all organizations. Rules that have not changed are not compiled again. Returns the rules of
   * changed organizations that this release cannot compile.
   */
  update(
    configs: ReadonlyMap<string, RelayConfig>,
    stored: ReadonlyMap<string, readonly StoredRelayRule[]>,
  ): readonly UnusableOrgRelayRule[];
}

/** An organization's rule that this release cannot compile. */
export interface UnusableOrgRelayRule extends UnusableRelayRule {
  readonly orgId: string;
}

const DEFAULTS: RelayConfig = RelaySchema.parse({});
const { relay: DEFAULT_RELAY } = compileOrgRelay(DEFAULTS);

/**
 * Creates the registry of the organizations' prepared relay configurations. An organization has the default
 * configuration until `update` sets another one.
 */
export function createRelayConfigRegistry(): RelayConfigRegistry {
  let relays: ReadonlyMap<string, RelayInUse> = new Map();
  return {
    get: (orgId) => relays.get(orgId)?.relay ?? DEFAULT_RELAY,
    getGrammar: loadShellParser,
    update(configs, stored) {
      const next = new Map<string, RelayInUse>();
      const unusable: UnusableOrgRelayRule[] = [];
      for (const orgId of new Set([...configs.keys(), ...stored.keys()])) {
        const source = { config: configs.get(orgId) ?? DEFAULTS, rules: stored.get(orgId) ?? NO_RULES };
        const before = relays.get(orgId);
        const after = replaceRelay(before, source);
        next.set(orgId, after);
        if (after.relay !== before?.relay)
          unusable.push(...after.unusable.map((rule) => ({ ...rule, orgId })));
      }
      relays = next;
      return unusable;
    },
  };
}

/** The settings from which an organization's relay configuration was compiled. */
interface RelaySource {
  readonly config: RelayConfig;
  readonly rules: readonly StoredRelayRule[];
}

interface RelayInUse {
  readonly source: RelaySource;
  readonly relay: VersionedRelayConfig;
  readonly unusable: readonly UnusableRelayRule[];
}

const NO_RULES: readonly StoredRelayRule[] = [];

function replaceRelay(before: RelayInUse | undefined, source: RelaySource): RelayInUse {
  if (before && before.source.config === source.config && before.source.rules === source.rules) return before;
  const config = mergeRules(source.config, source.rules);
  // Load the grammar now so that the first command does not wait for it.
  if (config.rules.length > 0) loadShellParser().catch(() => undefined);
  const isSame = before?.relay.version === configVersion(config);
  return isSame ? { ...before, source } : { source, ...compileOrgRelay(config) };
}

/**
 * Combines the rules. Those of floe.yaml come first. If both have a rule with the same name, the rule in
 * floe.yaml applies.
 */
function mergeRules(config: RelayConfig, stored: readonly StoredRelayRule[]): RelayConfig {
  const names = new Set(config.rules.map(({ name }) => name));
  const more = stored.filter((rule) => !names.has(rule.config.name)).map((rule) => rule.config);
  return more.length === 0 ? config : { ...config, rules: [...config.rules, ...more] };
}

function compileOrgRelay(config: RelayConfig): Omit<RelayInUse, 'source'> {
  const { unusable, ...relay } = compileUsableRelayConfig(config);
  return { relay: { relay, version: configVersion(config) }, unusable };
}

function configVersion(config: RelayConfig): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 16);
}
