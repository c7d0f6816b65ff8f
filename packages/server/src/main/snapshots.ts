import type { OrgConfig } from '@floe/contract/config';
import { channelFileKind } from '../alerts/file-channels.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { GatewaySnapshot } from '../gateway/gateway.ts';
import { BOARD_FILE_KIND } from '../monitoring/boards/file-boards.ts';
import { monitorFileKind } from '../monitoring/file-monitors.ts';
import { type MonitorChangeContext, setDefaultGrace } from '../monitoring/monitors.ts';
import { auditFileReload } from '../platform/audit-file-reload.ts';
import { bootstrapInstallation, type FirstRun } from '../platform/bootstrap.ts';
import {
  POLICY_FILE_KIND,
  PROVIDER_FILE_KIND,
  ROUTE_FILE_KIND,
  SETTING_FILE_KIND,
} from '../platform/config/file-entries.ts';
import { loadStoredConfig, mergeConfig } from '../platform/config/stored-config.ts';
import { ConfigFileRejectedError } from '../platform/config-file-rejected.ts';
import { platformKeyFileKind } from '../platform/file-keys.ts';
import { createKindSync, type KindSyncFactory, syncConfigFile } from '../platform/file-sync.ts';
import { TEAM_FILE_KIND } from '../platform/file-teams.ts';
import { loadPlatformSnapshot, type PlatformSnapshot } from '../platform/platform-snapshot.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import { loadStoredRelayRules } from '../relay/stored-relay-rules.ts';
import { listForcedBreakers } from '../store/forced-breakers.ts';
import { upsertOrg } from '../store/orgs.ts';
import { compileConfig, createIsSetInFile, type EffectiveConfig } from './compile-config.ts';
import { followSnapshotChanges } from './follow-changes.ts';
import { collectRelayConfigs } from './relay.ts';
import type { ServerComponents } from './server-components.ts';

/**
 * Stores the organizations and resources of the file (`syncConfigFile`). If there is no organization,
 * creates the first one and its key. If the file replaces `before`, records the change in the audit log.
 *
 * @throws ConfigError if stored resources conflict with the file. Nothing is changed then.
 */
export async function applyConfigFile(
  loaded: LoadedConfig,
  parts: ServerComponents,
  before: LoadedConfig | null = null,
): Promise<FirstRun | null> {
  const { database, pepper, secretsKey, monitoring } = parts;
  const { orgs } = loaded.config;
  // A process without the file must not remove the resources of processes that have it.
  if (loaded.path !== null || !database.isShared) {
    const moment = await monitoring.changeContext();
    const entering = database.transaction(async (writer) => {
      const changing = { ...moment, writer, secret: pepper };
      // Settings that the file does not contain come from the API.
      const stored = await loadStoredConfig(writer, secretsKey);
      const { orgs: inForce } = mergeConfig(orgs, createIsSetInFile(loaded), stored, null);
      for (const org of inForce) if (orgs.some(({ id }) => id === org.id)) await upsertFileOrg(changing, org);
      await syncConfigFile(fileKinds(changing, secretsKey), loaded, changing);
      if (before) await auditFileReload(writer, before.config, loaded.config, systemClock.now());
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
function fileKinds(changing: FileChangeContext, secretsKey: SecretsKey): readonly KindSyncFactory[] {
  return [
    createKindSync(platformKeyFileKind(changing.secret)),
    createKindSync(TEAM_FILE_KIND),
    createKindSync(monitorFileKind(changing)),
    createKindSync(BOARD_FILE_KIND),
    createKindSync(PROVIDER_FILE_KIND),
    createKindSync(ROUTE_FILE_KIND),
    createKindSync(POLICY_FILE_KIND),
    createKindSync(SETTING_FILE_KIND),
    createKindSync(channelFileKind(secretsKey, changing.nowMs)),
  ];
}

async function upsertFileOrg(changing: FileChangeContext, { id, name, analytics, monitoring }: OrgConfig) {
  const { metadata_keys: keys } = analytics;
  const metadata_keys_json = keys.length > 0 ? JSON.stringify(keys) : null;
  await upsertOrg(changing.writer, { id, name, created_at: changing.nowMs, metadata_keys_json });
  const by = { actor: 'file', source: { kind: 'file', line: null } } as const;
  await setDefaultGrace({ ...changing, ...by }, id, monitoring.grace_period_minutes * 60_000);
}

export interface GatewaySnapshots {
  current(): GatewaySnapshot;
  /** The configuration from which the current snapshot was compiled. */
  runningConfig(): EffectiveConfig;
  /** Resolves when a snapshot is in use whose loading began after this call. */
  renew(): Promise<void>;
  /** Calls `changed` after each new snapshot. */
  onChange(changed: () => void): void;
  /** Runs a change and compiles a snapshot from the result. No snapshot is compiled in between. */
  applyChange(change: () => Promise<void>): Promise<void>;
  /** Time zone of an organization, from floe.yaml or from the API. */
  timezone(orgId: string): string;
}

/** Creates the snapshots that the gateway uses. Compiles one at a time. */
export function createGatewaySnapshots(
  loaded: () => LoadedConfig,
  parts: ServerComponents,
): GatewaySnapshots {
  let current: GatewaySnapshot | null = null;
  let running: EffectiveConfig = { orgs: [], apiProviders: new Set(), orgCount: 0, problems: new Map() };
  let orgs: PlatformSnapshot['orgs'] = new Map();
  let last: Promise<void> = Promise.resolve();
  const watchers: (() => void)[] = [];
  const follower = followSnapshotChanges(parts);
  async function swap(): Promise<void> {
    const file = loaded();
    const { catalogs, unusableProviders, unsupportedSettings, namedOrigins, ...inForce } =
      await compileConfig(file, parts);
    const platform = await loadPlatformSnapshot(
      parts.database.read,
      parts.pepper,
      systemClock.now(),
      follower.isCurrent,
    );
    const forced = await listForcedBreakers(parts.database.read, systemClock.now());
    parts.relay.relays.update(
      collectRelayConfigs(inForce.orgs),
      await loadStoredRelayRules(parts.database.read),
    );
    current = { keyring: platform.keyring, catalogs };
    for (const changed of watchers) changed();
    orgs = platform.orgs;
    running = { ...inForce, problems: new Map(unusableProviders.map(({ id, reason }) => [id, reason])) };
    parts.breakers.setForcedStates(forced);
    parts.outbound.configure(file.config, inForce.orgCount, namedOrigins);
    logUnusableSettings(parts.log, unsupportedSettings, unusableProviders);
    parts.modelLists.watch([...catalogs.values()].flatMap((catalog) => [...catalog.providers.values()]));
  }
  const after = (change: () => Promise<void>) => {
    last = last
      .catch(() => undefined)
      .then(change)
      .then(swap);
    return last;
  };
  const renew = () => after(async () => undefined);
  follower.start(renew);
  return {
    current() {
      if (!current) throw new Error('the first configuration snapshot is not ready yet');
      return current;
    },
    runningConfig: () => running,
    renew,
    applyChange: after,
    onChange: (changed) => void watchers.push(changed),
    timezone: (orgId) =>
      loaded().config.orgs.find(({ id }) => id === orgId)?.timezone ?? orgs.get(orgId)?.timezone ?? 'UTC',
  };
}

function logUnusableSettings(
  log: Log,
  notYet: readonly string[],
  leftOut: readonly { readonly id: string; readonly reason: string }[],
) {
  for (const setting of notYet) log.warn({ setting }, 'setting is valid but has no effect in this version');
  for (const { id, reason } of leftOut) log.warn({ provider: id, reason }, 'provider cannot be used');
}
