import { ConfigError, type ConfigProblem } from '../config/config-problem.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { DEFAULT_CONFIG_FILE } from '../config/parse-config.ts';
import { watchConfig } from '../config/watch-config.ts';
import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { publishLiveEvent } from '../store/live-events.ts';
import { listOrgs } from '../store/orgs.ts';
import type { ConfigFileLoadState } from './config-dependencies.ts';
import type { ConfigThread } from './config-thread.ts';
import {
  type ApplyConfigFileDependencies,
  applyConfigFile,
  type GatewaySnapshots,
} from './gateway-snapshots.ts';
import type { ServerComponents } from './server-components.ts';

/**
 * Watches floe.yaml and applies every valid version completely. After an invalid change, the previous
 * configuration remains in use.
 */
export function watchConfigFile(
  parts: ApplyConfigFileDependencies & Pick<ServerComponents, 'log' | 'runtime'>,
  state: ConfigFileLoadState,
  snapshots: Pick<GatewaySnapshots, 'applyChange'>,
  thread: ConfigThread,
) {
  const { log } = parts;
  const path = state.loaded.path ?? DEFAULT_CONFIG_FILE;
  async function applyChange(loaded: LoadedConfig, restart: readonly string[]): Promise<void> {
    const before = state.loaded;
    try {
      await snapshots.applyChange(async () => {
        await applyConfigFile(loaded, parts, before);
        state.loaded = loaded;
      });
      state.loadedAt = systemClock.now();
      const wasRefused = state.rejected !== null;
      state.rejected = null;
      if (wasRefused) await notifyEventStreams(parts, 'config.accepted');
      parts.runtime.recordReload(true);
      log.info({ path }, 'configuration was applied');
      if (restart.length > 0)
        log.warn({ fields: restart }, 'some changed fields take effect only after a restart');
    } catch (error) {
      state.loaded = before;
      watching.rejectChange(before);
      await rejectFile(error);
    }
  }
  async function rejectFile(error: unknown): Promise<void> {
    parts.runtime.recordReload(false);
    state.rejected = { at: systemClock.now(), problems: logProblems(error, log) };
    await notifyEventStreams(parts, 'config.rejected');
  }
  const watching = watchConfig({
    path,
    current: state.loaded,
    load: (text, current) => thread.load(text, current),
    log,
    clock: systemClock,
    onChange: (change) =>
      'error' in change ? rejectFile(change.error) : applyChange(change.loaded, change.restart),
  });
  return {
    ...watching,
    close() {
      watching.close();
      return thread.close();
    },
  };
}

/** Publishes the change to event streams. A rejected file changes no row, so no other event reports it. */
async function notifyEventStreams(
  { database, log }: Pick<ServerComponents, 'database' | 'log'>,
  action: string,
): Promise<void> {
  const at = systemClock.now();
  await database
    .transaction(async (writer) => {
      for (const { id } of await listOrgs(writer))
        await publishLiveEvent(writer, { orgId: id, topic: 'config', at, data: { action } });
    })
    .catch((error: unknown) =>
      log.warn({ err: error }, 'configuration change could not be sent to event streams'),
    );
}

/**
 * Logs why a changed file was not applied: an invalid file, an unavailable database, or a bug. Returns the
 * problems.
 */
function logProblems(error: unknown, log: Log): readonly ConfigProblem[] {
  if (error instanceof ConfigError) {
    log.error(
      { problems: error.message.split('\n') },
      'configuration was rejected; the running configuration is kept',
    );
    return error.problems;
  }
  log.error({ err: error }, 'configuration could not be applied; the running configuration is kept');
  return [{ where: '', message: error instanceof Error ? error.message : String(error) }];
}
