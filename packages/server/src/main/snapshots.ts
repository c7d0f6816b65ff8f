import type { OrgConfig } from '@floe/contract/config';
import { fileChannels } from '../alerts/file-channels.ts';
import type { LoadedConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { GatewaySnapshot } from '../gateway/gateway.ts';
import { FILE_BOARDS } from '../monitoring/boards/file-boards.ts';
import { fileMonitors } from '../monitoring/file-monitors.ts';
import { type Changing, setDefaultGrace } from '../monitoring/monitors.ts';
import { bootstrap, type FirstRun } from '../platform/bootstrap.ts';
import {
  FILE_POLICIES,
  FILE_PROVIDERS,
  FILE_ROUTES,
  FILE_SETTINGS,
} from '../platform/config/file-entries.ts';
import { loadStoredConfig, mergeConfig } from '../platform/config/stored-config.ts';
import { fileKeys } from '../platform/file-keys.ts';
import { FileRefused } from '../platform/file-refused.ts';
import { auditReload } from '../platform/file-reload.ts';
import { type SyncedKind, syncedKind, syncFile } from '../platform/file-sync.ts';
import { FILE_TEAMS } from '../platform/file-teams.ts';
import { loadPlatform, type Platform } from '../platform/platform.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import { loadStoredRelayRules } from '../relay/stored-rules.ts';
import { forcedBreakers } from '../store/forced-breakers.ts';
import { putOrg } from '../store/orgs.ts';
import { followChanges } from './follow-changes.ts';
import { compileInForce, type Running, setsOf } from './in-force.ts';
import type { Parts } from './parts.ts';
import { relayConfigs } from './relay.ts';

/**
 * Brings the orgs of the file and their objects into the store (`syncFile`); without any org at all, makes the first org
 * and its key. A file that takes the place of `before` is audited.
 *
 * @throws ConfigError when the store holds what the file must not touch; nothing is taken over then
 */
export async function enter(
  loaded: LoadedConfig,
  parts: Parts,
  before: LoadedConfig | null = null,
): Promise<FirstRun | null> {
  const { database, pepper, secretsKey, monitoring } = parts;
  const { orgs } = loaded.config;
  // A replica that was started without the file says nothing about the keys of those that have it.
  if (loaded.path !== null || !database.isShared) {
    const moment = await monitoring.moment();
    const entering = database.transaction(async (writer) => {
      const changing = { ...moment, writer, secret: pepper };
      // Settings that the file leaves out are the API's.
      const stored = await loadStoredConfig(writer, secretsKey);
      const { orgs: inForce } = mergeConfig(orgs, setsOf(loaded), stored, null);
      for (const org of inForce) if (orgs.some(({ id }) => id === org.id)) await putFileOrg(changing, org);
      await syncFile(fileKinds(changing, secretsKey), loaded, changing);
      if (before) await auditReload(writer, before.config, loaded.config, systemClock.now());
      await database.signals.announce(writer);
    });
    await entering.catch((error: unknown) => {
      throw error instanceof FileRefused ? loaded.errorOf(error.issues) : error;
    });
  }
  return orgs.length === 0 ? bootstrap(database, pepper, systemClock) : null;
}

type FileChanging = Omit<Changing, 'actor' | 'source'>;

/** Every kind of object that floe.yaml has and the store keeps, in the order in which later ones may name earlier ones. */
function fileKinds(changing: FileChanging, secretsKey: SecretsKey): readonly SyncedKind[] {
  return [
    syncedKind(fileKeys(changing.secret)),
    syncedKind(FILE_TEAMS),
    syncedKind(fileMonitors(changing)),
    syncedKind(FILE_BOARDS),
    syncedKind(FILE_PROVIDERS),
    syncedKind(FILE_ROUTES),
    syncedKind(FILE_POLICIES),
    syncedKind(FILE_SETTINGS),
    syncedKind(fileChannels(secretsKey, changing.nowMs)),
  ];
}

async function putFileOrg(changing: FileChanging, { id, name, analytics, monitoring }: OrgConfig) {
  const { metadata_keys: keys } = analytics;
  const metadata_keys_json = keys.length > 0 ? JSON.stringify(keys) : null;
  await putOrg(changing.writer, { id, name, created_at: changing.nowMs, metadata_keys_json });
  const by = { actor: 'file', source: { kind: 'file', line: null } } as const;
  await setDefaultGrace({ ...changing, ...by }, id, monitoring.grace_period_minutes * 60_000);
}

export interface Snapshots {
  current(): GatewaySnapshot;
  /** What the current one was compiled from. */
  running(): Running;
  /** Resolves when a snapshot whose loading began after this call is in use. */
  renew(): Promise<void>;
  /** Calls `changed` whenever another snapshot is in use. */
  watch(changed: () => void): void;
  /** Makes a change and takes the snapshot of it into use; no snapshot in between sees half of it. */
  after(change: () => Promise<void>): Promise<void>;
  /** Of an org: as floe.yaml has it, or as it was set here. */
  timezone(orgId: string): string;
}

export function createSnapshots(loaded: () => LoadedConfig, parts: Parts): Snapshots {
  let current: GatewaySnapshot | null = null;
  let running: Running = { orgs: [], made: new Set(), orgCount: 0, problems: new Map() };
  let orgs: Platform['orgs'] = new Map();
  let last: Promise<void> = Promise.resolve();
  const watchers: (() => void)[] = [];
  const follower = followChanges(parts);
  async function swap(): Promise<void> {
    const file = loaded();
    const { catalogs, leftOut, notYet, namedOrigins, ...inForce } = await compileInForce(file, parts);
    const platform = await loadPlatform(
      parts.database.read,
      parts.pepper,
      systemClock.now(),
      follower.isCurrent,
    );
    const forced = await forcedBreakers(parts.database.read, systemClock.now());
    parts.relay.relays.use(relayConfigs(inForce.orgs), await loadStoredRelayRules(parts.database.read));
    current = { keyring: platform.keyring, catalogs };
    for (const changed of watchers) changed();
    orgs = platform.orgs;
    running = { ...inForce, problems: new Map(leftOut.map(({ id, reason }) => [id, reason])) };
    parts.breakers.force(forced);
    parts.outbound.use(file.config, inForce.orgCount, namedOrigins);
    warn(parts.log, notYet, leftOut);
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
  follower.renewBy(renew);
  return {
    current() {
      if (!current) throw new Error('the first snapshot is not there yet');
      return current;
    },
    running: () => running,
    renew,
    after,
    watch: (changed) => void watchers.push(changed),
    timezone: (orgId) =>
      loaded().config.orgs.find(({ id }) => id === orgId)?.timezone ?? orgs.get(orgId)?.timezone ?? 'UTC',
  };
}

function warn(
  log: Log,
  notYet: readonly string[],
  leftOut: readonly { readonly id: string; readonly reason: string }[],
) {
  for (const setting of notYet)
    log.warn({ setting }, 'this setting is valid but does nothing in this release');
  for (const { id, reason } of leftOut) log.warn({ provider: id, reason }, 'this provider cannot be used');
}
