import type { OrgConfig } from '@floe/contract/config';
import { OrgSchema } from '@floe/contract/config/org';
import { createConfigFileChannelResourceKind } from '../alerts/config-file-channels.ts';
import { compareOrgs } from '../config/compare-orgs.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { runForServer } from '../core/org-context.ts';
import type { GatewaySnapshot } from '../gateway/shared-gateway-dependencies.ts';
import { CONFIG_FILE_BOARD_RESOURCE_KIND } from '../monitoring/boards/config-file-boards.ts';
import { createConfigFileMonitorResourceKind } from '../monitoring/config-file-monitors.ts';
import { applyDefaultGracePeriod, type MonitorChangeContext } from '../monitoring/monitors.ts';
import { bootstrapInstallation, type FirstStartSecrets } from '../platform/bootstrap.ts';
import {
  CONFIG_FILE_POLICY_RESOURCE_KIND,
  CONFIG_FILE_PROVIDER_RESOURCE_KIND,
  CONFIG_FILE_ROUTE_RESOURCE_KIND,
  CONFIG_FILE_SETTINGS_RESOURCE_KIND,
} from '../platform/config/config-file-entries.ts';
import { loadStoredConfig, mergeConfig } from '../platform/config/stored-config.ts';
import { createConfigFilePlatformKeyResourceKind } from '../platform/config-file-platform-keys.ts';
import { ConfigFileRejectedError } from '../platform/config-file-rejected-error.ts';
import {
  createResourceKindSyncFactory,
  type ResourceKindSyncFactory,
  syncConfigFile,
} from '../platform/config-file-sync.ts';
import { CONFIG_FILE_TEAM_RESOURCE_KIND } from '../platform/config-file-teams.ts';
import type { SecretEncryptionKey } from '../platform/secrets.ts';
import { listOrgsWithFileEntries } from '../store/config-entries.ts';
import { listForcedBreakerStates } from '../store/forced-breakers.ts';
import { listOrgs, upsertOrg } from '../store/orgs.ts';
import { auditConfigFileChangeOnce } from './audit-config-file-change-once.ts';
import { type CompiledConfig, createConfigSectionChecker, type EffectiveConfig } from './compile-config.ts';
import { collectRelayConfigs } from './relay-dependencies.ts';
import type { ServerComponents } from './server-components.ts';
import { refreshSnapshotContent, type SnapshotContent } from './snapshot-content.ts';
import { createSnapshotFollower } from './snapshot-follower.ts';

/** The components that `applyConfigFile` needs to store the resources of floe.yaml. */
export interface ApplyConfigFileDependencies
  extends Pick<ServerComponents, 'database' | 'pepper' | 'secretsKey'> {
  readonly monitoring: Pick<ServerComponents['monitoring'], 'changeContext'>;
  readonly serverProcess: Pick<ServerComponents['serverProcess'], 'processNumber'>;
}

/** The configuration that a file replaces. */
export interface ReplacedConfig {
  readonly config: LoadedConfig;
  /** Whether the database contains exactly this configuration. Otherwise, the new file is compared with the database. */
  readonly isStored: boolean;
}

/**
 * Stores the file's organizations and resources (`syncConfigFile`). If no organization exists,
 * creates the first one and its key. If the file replaces another configuration, records the change in the audit
 * log.
 *
 * @throws ConfigError if stored resources conflict with the file. Nothing is changed in this case.
 */
export async function applyConfigFile(
  loaded: LoadedConfig,
  parts: ApplyConfigFileDependencies,
  replaced: ReplacedConfig | null = null,
): Promise<FirstStartSecrets | null> {
  const { database, pepper, secretsKey, monitoring, serverProcess } = parts;
  const { orgs } = loaded.config;
  const before = replaced?.config ?? null;
  // A process without the file must not remove the resources of processes that have it. Those of one machine use the
  // same file.
  if (loaded.path !== null || !database.isRemote) {
    const moment = await monitoring.changeContext();
    const entering = database.transaction(async (writer) => {
      const changing = { ...moment, writer, secret: pepper };
      // Without an earlier file, other processes may have stored organizations that no file defines now.
      const differences =
        before?.path == null || !replaced?.isStored ? null : await compareOrgs(before, loaded);
      const changed = orgs.filter(({ id }) => differences?.changed.has(id) ?? true);
      await storeFileOrgs(changed, loaded, { changing, secretsKey });
      await resetRemovedOrgs(differences?.changed ?? null, loaded, { changing, secretsKey });
      await syncConfigFile(fileKinds(changing, secretsKey), loaded, { ...changing, differences });
      await auditConfigFileChangeOnce(writer, loaded, before, serverProcess.processNumber);
      await database.signals.announce(writer);
    });
    await entering.catch((error: unknown) => {
      throw error instanceof ConfigFileRejectedError ? loaded.toConfigError(error.issues) : error;
    });
  }
  return orgs.length === 0 ? bootstrapInstallation(database, pepper, systemClock) : null;
}

type FileChangeContext = Omit<MonitorChangeContext, 'actor' | 'source'>;

/**
 * All resource kinds that floe.yaml defines and Floe stores. A kind comes after the kinds to which it
 * refers.
 */
function fileKinds(
  changing: FileChangeContext,
  secretsKey: SecretEncryptionKey,
): readonly ResourceKindSyncFactory[] {
  return [
    createResourceKindSyncFactory(createConfigFilePlatformKeyResourceKind(changing.secret)),
    createResourceKindSyncFactory(CONFIG_FILE_TEAM_RESOURCE_KIND),
    createResourceKindSyncFactory(createConfigFileMonitorResourceKind(changing)),
    createResourceKindSyncFactory(CONFIG_FILE_BOARD_RESOURCE_KIND),
    createResourceKindSyncFactory(CONFIG_FILE_PROVIDER_RESOURCE_KIND),
    createResourceKindSyncFactory(CONFIG_FILE_ROUTE_RESOURCE_KIND),
    createResourceKindSyncFactory(CONFIG_FILE_POLICY_RESOURCE_KIND),
    createResourceKindSyncFactory(CONFIG_FILE_SETTINGS_RESOURCE_KIND),
    createResourceKindSyncFactory(createConfigFileChannelResourceKind(secretsKey, changing.nowMs)),
  ];
}

/** Their rows are read together. */
const ORGS_PER_QUERY = 10;

interface OrgStorage {
  readonly changing: FileChangeContext;
  readonly secretsKey: SecretEncryptionKey;
}

/** Creates or updates the rows of organizations. Settings that the file does not contain come from the API. */
async function storeFileOrgs(
  orgs: readonly OrgConfig[],
  loaded: LoadedConfig,
  { changing, secretsKey }: OrgStorage,
): Promise<void> {
  const turns = new EventLoopYielder();
  const isSet = createConfigSectionChecker(loaded);
  for (let at = 0; at < orgs.length; at += ORGS_PER_QUERY) {
    const some = orgs.slice(at, at + ORGS_PER_QUERY);
    const ids = some.map(({ id }) => id);
    const stored = await loadStoredConfig(changing.writer, secretsKey, ids);
    await turns.endStep();
    for (const org of mergeConfig(some, isSet, stored, null).orgs) {
      await upsertFileOrg(changing, org);
      await turns.endStep();
    }
  }
}

/**
 * Stores the API settings of the organizations that were removed from the file. Until `syncConfigFile` deletes them, the
 * settings of the previous file are stored.
 * @param changed the organizations that differ from the previous file. Null if it is not known.
 */
async function resetRemovedOrgs(
  changed: ReadonlySet<string> | null,
  loaded: LoadedConfig,
  storage: OrgStorage,
): Promise<void> {
  const { writer } = storage.changing;
  const inFile = new Set(loaded.config.orgs.map(({ id }) => id));
  const known = changed ?? (await listOrgsWithFileEntries(writer, 'settings'));
  const removed = [...known].filter((id) => !inFile.has(id));
  for (let at = 0; at < removed.length; at += ORGS_PER_QUERY) {
    const rows = await listOrgs(writer, removed.slice(at, at + ORGS_PER_QUERY));
    const orgs = rows.map(({ id, name, timezone }) =>
      OrgSchema.parse({ id, name, ...(timezone !== null && { timezone }) }),
    );
    await storeFileOrgs(orgs, loaded, storage);
  }
}

async function upsertFileOrg(changing: FileChangeContext, { id, name, analytics, monitoring }: OrgConfig) {
  const { metadata_keys: keys } = analytics;
  const metadata_keys_json = keys.length > 0 ? JSON.stringify(keys) : null;
  await upsertOrg(changing.writer, { id, name, created_at: changing.nowMs, metadata_keys_json });
  const by = { actor: 'file', source: { kind: 'file', line: null } } as const;
  await applyDefaultGracePeriod({ ...changing, ...by }, id, monitoring.grace_period_minutes * 60_000);
}

export interface GatewaySnapshots {
  current(): GatewaySnapshot;
  /** The configuration from which the current snapshot was compiled. */
  runningConfig(): EffectiveConfig;
  /** Resolves when the snapshot in use contains everything that was committed before this call. */
  renew(): Promise<void>;
  /** Calls `changed` after each new snapshot. */
  onChange(changed: () => void): void;
  /** Runs a change and creates a snapshot from the result. No snapshot is created in between. */
  applyChange(change: () => Promise<void>): Promise<void>;
  /** Time zone of an organization, from floe.yaml or from the API. */
  timezone(orgId: string): string;
}

/** Creates the snapshots that the gateway uses. Only one snapshot is created at a time. */
export function createGatewaySnapshots(
  loaded: () => LoadedConfig,
  parts: ServerComponents,
): GatewaySnapshots {
  let current: GatewaySnapshot | null = null;
  let content: SnapshotContent | null = null;
  let last: Promise<void> = Promise.resolve();
  const watchers: (() => void)[] = [];
  const follower = createSnapshotFollower(parts);
  async function swap(): Promise<void> {
    const before = content?.config ?? null;
    const next = await refreshSnapshotContent(content, loaded(), parts, follower.isCurrent);
    const forced = await listForcedBreakerStates(parts.database.read, systemClock.now());
    if (next.config !== before) {
      await parts.guardrails.prepareRules(next.config.catalogs);
      applyConfig(next.config, parts);
    }
    content = next;
    current = { keyring: next.keyring, catalogs: next.config.catalogs };
    for (const changed of watchers) changed();
    parts.breakers.setForcedStates(forced);
  }
  const after = (change: () => Promise<void>) => {
    // All organizations wait for the snapshot, whichever of them made the change.
    last = runForServer(() =>
      last
        .catch(() => undefined)
        .then(change)
        .then(swap),
    );
    return last;
  };
  const renew = () => after(async () => undefined);
  follower.start(renew);
  return {
    current() {
      if (!current) throw new Error('the first configuration snapshot is not ready yet');
      return current;
    },
    runningConfig: () => content?.config ?? NO_CONFIG,
    renew,
    applyChange: after,
    onChange: (changed) => void watchers.push(changed),
    timezone: (orgId) =>
      loaded().config.orgs.find(({ id }) => id === orgId)?.timezone ??
      content?.config.byOrg.get(orgId)?.timezone ??
      'UTC',
  };
}

const NO_CONFIG: EffectiveConfig = { orgs: [], apiProviders: new Set(), orgCount: 0, problems: new Map() };

/** The id of a resource that restricts requests. */
const RULE_ID = /^[^/]+\/(?:policies|limits|budgets|relay_rules)\//;

/** Applies a changed configuration to the components that are not part of the snapshot. */
function applyConfig(config: CompiledConfig, parts: ServerComponents): void {
  // First, because it throws if a file of a new configuration cannot be read. The previous snapshot is then kept.
  const failure = parts.outbound.configure(config.file.config, config.orgCount, config.byOrg);
  if (failure)
    parts.log.error(
      { err: failure },
      'file of outbound settings could not be read; its last known content is used',
    );
  const stored = [...config.byOrg].filter(([, { relayRules }]) => relayRules.length > 0);
  const unusableRules = parts.relay.relays.update(
    collectRelayConfigs(config.orgs),
    new Map(stored.map(([id, { relayRules }]) => [id, relayRules])),
  );
  for (const { orgId, rule, error } of unusableRules)
    parts.log.error(
      { org: orgId, rule, field: error.path.slice(2).join('.'), reason: error.message },
      'relay rule cannot be compiled by this version of Floe; if its decision is allow, it has no effect; otherwise, it asks',
    );
  parts.modelLists.watch([...config.catalogs.values()].flatMap(({ providers }) => [...providers.values()]));
  for (const setting of config.unsupportedSettings)
    parts.log.warn({ setting }, 'setting is valid but has no effect');
  for (const { id, reason } of config.unusableProviders)
    parts.log.warn({ provider: id, reason }, 'provider cannot be used');
  for (const { id, reason } of config.unusableResources)
    if (RULE_ID.test(id)) parts.log.error({ rule: id, reason }, 'stored rule is not enforced');
    else parts.log.error({ resource: id, reason }, 'stored resource cannot be used');
}
