import { type FileChannels, syncFileChannels } from '../alerts/file-channels.ts';
import type { LoadedConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import { compileCatalogs } from '../gateway/compile.ts';
import type { GatewaySnapshot } from '../gateway/gateway.ts';
import { loadStoredRules } from '../guardrails/stored-rules.ts';
import { type FileBoards, syncFileBoards } from '../monitoring/boards/file-boards.ts';
import { type FileOrg, syncFileMonitors } from '../monitoring/file-monitors.ts';
import { bootstrap, type FirstRun } from '../platform/bootstrap.ts';
import { syncFileKeys } from '../platform/file-keys.ts';
import { auditReload } from '../platform/file-reload.ts';
import { type FileTeams, syncFileTeams } from '../platform/file-teams.ts';
import { loadPlatform, type Platform } from '../platform/platform.ts';
import { loadStoredRelayRules } from '../relay/stored-rules.ts';
import { cachePurges } from '../store/cache-purges.ts';
import { forcedBreakers } from '../store/forced-breakers.ts';
import type { Parts } from './parts.ts';
import { relayConfigs } from './relay.ts';

/** The org of an installation whose file names none. */
const DEFAULT_ORG = 'default';

/**
 * Brings orgs, keys and monitors of the file into the store; keys that left it are revoked, monitors disabled;
 * without any org at all, makes the first org and its key. A file that takes the place of `before` is audited.
 */
export async function enter(
  loaded: LoadedConfig,
  parts: Parts,
  before: LoadedConfig | null = null,
): Promise<FirstRun | null> {
  const { database, pepper, secretsKey, monitoring } = parts;
  const { orgs } = loaded.config;
  const declared = orgs.map((org, at) => ({
    id: org.id,
    name: org.name,
    metadataKeys: org.analytics.metadata_keys,
    keys: org.keys.map((key, index) => ({
      ...key,
      line: loaded.lineOf(['orgs', at, 'keys', index]) ?? null,
    })),
  }));
  // A replica that was started without the file says nothing about the keys of those that have it.
  if (loaded.path !== null || database.engine === 'sqlite') {
    const moment = await monitoring.moment();
    await database.transaction(async (writer) => {
      await syncFileKeys(writer, declared, pepper, systemClock.now());
      await syncFileTeams(writer, teamsOf(loaded), systemClock.now());
      await syncFileMonitors(
        { writer, engine: database.engine, secret: pepper, ...moment },
        fileOrgs(loaded),
      );
      await syncFileBoards(writer, boardsOf(loaded), systemClock.now());
      await syncFileChannels(writer, channelsOf(loaded), secretsKey, systemClock.now());
      if (before) await auditReload(writer, before.config, loaded.config, systemClock.now());
      await database.signals.announce(writer);
    });
  }
  return orgs.length === 0 ? bootstrap(database, pepper, systemClock) : null;
}

function fileOrgs({ config, lineOf }: LoadedConfig): FileOrg[] {
  return config.orgs.map((org, at) => ({
    id: org.id,
    timezone: org.timezone,
    graceMs: org.monitoring.grace_period_minutes * 60_000,
    monitors: org.monitors.map((monitor, index) => ({
      config: monitor,
      line: lineOf(['orgs', at, 'monitors', index]) ?? null,
    })),
  }));
}

function teamsOf({ config, lineOf }: LoadedConfig): FileTeams[] {
  return config.orgs.map((org, at) => ({
    id: org.id,
    teams: org.teams.map((team, index) => ({
      config: team,
      line: lineOf(['orgs', at, 'teams', index]) ?? null,
    })),
  }));
}

function boardsOf({ config, lineOf }: LoadedConfig): FileBoards[] {
  return config.orgs.map((org, at) => ({
    id: org.id,
    boards: org.boards.map((board, index) => ({
      config: board,
      line: lineOf(['orgs', at, 'boards', index]) ?? null,
    })),
  }));
}

function channelsOf({ config, lineOf }: LoadedConfig): FileChannels[] {
  return config.orgs.map((org, at) => ({
    id: org.id,
    channels: org.channels.map((channel, index) => ({
      config: channel,
      line: lineOf(['orgs', at, 'channels', index]) ?? null,
    })),
  }));
}

export interface Snapshots {
  current(): GatewaySnapshot;
  /** Resolves when a snapshot whose loading began after this call is in use. */
  renew(): Promise<void>;
  /** Of an org: as floe.yaml has it, or as it was set here. */
  timezone(orgId: string): string;
}

export function createSnapshots(loaded: () => LoadedConfig, parts: Parts): Snapshots {
  let current: GatewaySnapshot | null = null;
  let orgs: Platform['orgs'] = new Map();
  let last: Promise<void> = Promise.resolve();
  async function swap(): Promise<void> {
    const { orgs: declared, outbound } = loaded().config;
    const { variable } = parts.environment;
    const { catalogs, unusable, notYet } = compileCatalogs(
      declared,
      DEFAULT_ORG,
      { variable, outbound },
      {
        book: parts.prices,
        stored: await loadStoredRules(parts.database.read),
        purges: await cachePurges(parts.database.read),
      },
    );
    const platform = await loadPlatform(parts.database.read, parts.pepper, systemClock.now());
    const forced = await forcedBreakers(parts.database.read, systemClock.now());
    parts.relay.relays.use(relayConfigs(loaded()), await loadStoredRelayRules(parts.database.read));
    current = { keyring: platform.keyring, catalogs };
    orgs = platform.orgs;
    parts.breakers.force(forced);
    parts.outbound.use(
      loaded().config,
      [...catalogs.values()].flatMap((catalog) =>
        [...catalog.providers.values()].flatMap(({ origin, via }) =>
          [origin, via?.proxy?.origin ?? []].flat(),
        ),
      ),
    );
    for (const setting of notYet)
      parts.log.warn({ setting }, 'this setting is valid but does nothing in this release');
    for (const { id, reason } of unusable)
      parts.log.warn({ provider: id, reason }, 'this provider cannot be used');
    parts.modelLists.watch([...catalogs.values()].flatMap((catalog) => [...catalog.providers.values()]));
  }
  const renew = () => {
    last = last.catch(() => undefined).then(swap);
    return last;
  };
  // A change of another process; while the store is away the snapshot stays, and the next word renews it.
  parts.database.signals.onChange(() => {
    renew().catch((error: unknown) => parts.log.warn({ err: error }, 'the snapshot could not be renewed'));
  });
  return {
    current() {
      if (!current) throw new Error('the first snapshot is not there yet');
      return current;
    },
    renew,
    timezone: (orgId) =>
      loaded().config.orgs.find(({ id }) => id === orgId)?.timezone ?? orgs.get(orgId)?.timezone ?? 'UTC',
  };
}
