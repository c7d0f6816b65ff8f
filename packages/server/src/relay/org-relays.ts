import { createHash } from 'node:crypto';
import type { RelayConfig, RelayRuleConfig } from '@floe/contract/config';
import { RelaySchema } from '@floe/contract/config/relay';
import { compileRelay, type Relay } from '@floe/relay/relay';
import { type Grammar, loadGrammar } from '@floe/relay/shell/tree';

/** The relay of one org, as the running configuration has it. */
export interface OrgRelay {
  readonly relay: Relay;
  /** Changes whenever anything that decides does. */
  readonly version: string;
}

/** A rule of the console, with the id of its row. */
export interface StoredRelayRule {
  readonly id: string;
  readonly config: RelayRuleConfig;
}

export interface OrgRelays {
  of(orgId: string): OrgRelay;
  /** The grammar for shell commands; loaded by the first that asks. */
  grammar(): Promise<Grammar>;
  /** Takes over what the file and the console say about every org; what stayed the same is not compiled again. */
  use(
    configs: ReadonlyMap<string, RelayConfig>,
    stored: ReadonlyMap<string, readonly StoredRelayRule[]>,
  ): void;
}

const DEFAULTS: RelayConfig = RelaySchema.parse({});
const NOTHING: OrgRelay = compiled(DEFAULTS);

/** What orgs say about the relay, compiled. Immutable between two calls of `use`. */
export function createOrgRelays(): OrgRelays {
  let relays: ReadonlyMap<string, OrgRelay> = new Map();
  return {
    of: (orgId) => relays.get(orgId) ?? NOTHING,
    grammar: loadGrammar,
    use(configs, stored) {
      const next = new Map<string, OrgRelay>();
      for (const orgId of new Set([...configs.keys(), ...stored.keys()])) {
        const config = merged(configs.get(orgId) ?? DEFAULTS, stored.get(orgId) ?? []);
        const before = relays.get(orgId);
        next.set(orgId, before?.version === versionOf(config) ? before : compiled(config));
        // The first command need not wait for it.
        if (config.rules.length > 0) loadGrammar().catch(() => undefined);
      }
      relays = next;
    },
  };
}

/** The file's rules first; a name that both have is the file's. */
function merged(config: RelayConfig, stored: readonly StoredRelayRule[]): RelayConfig {
  const names = new Set(config.rules.map(({ name }) => name));
  const more = stored.filter((rule) => !names.has(rule.config.name)).map((rule) => rule.config);
  return more.length === 0 ? config : { ...config, rules: [...config.rules, ...more] };
}

function compiled(config: RelayConfig): OrgRelay {
  return { relay: compileRelay(config), version: versionOf(config) };
}

function versionOf(config: RelayConfig): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 16);
}
