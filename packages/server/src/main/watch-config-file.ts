import { ConfigError, type ConfigProblem } from '../config/config-problem.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { DEFAULT_CONFIG_FILE } from '../config/parse-config.ts';
import { watchConfig } from '../config/watch-config.ts';
import { type Clock, systemClock, type Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { publishLiveEvent } from '../store/live-events.ts';
import { listOrgs } from '../store/orgs.ts';
import type { ConfigFileLoadState } from './config-dependencies.ts';
import { ConfigFileSizeError, type ConfigThread } from './config-thread.ts';
import {
  type ApplyConfigFileDependencies,
  applyConfigFile,
  type GatewaySnapshots,
  type ReplacedConfig,
} from './gateway-snapshots.ts';
import type { ServerComponents } from './server-components.ts';

/**
 * Delay before the first retry of a failed change. It doubles after each failure. An invalid floe.yaml is not retried.
 */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** The dependencies of `watchConfigFile`. */
export interface WatchConfigFileDependencies
  extends ApplyConfigFileDependencies,
    Pick<ServerComponents, 'log' | 'runtime'> {
  /** The clock of the retries. Only tests set it. */
  readonly retryClock?: Pick<Clock, 'after'>;
}

/**
 * Watches floe.yaml and applies every valid version completely. After an invalid change, the previous
 * configuration remains in use. After a failure with another reason, such as an outage of the
 * database or a conflict with stored resources, tries again.
 */
export function watchConfigFile(
  parts: WatchConfigFileDependencies,
  state: ConfigFileLoadState,
  snapshots: Pick<GatewaySnapshots, 'applyChange'>,
  thread: ConfigThread,
) {
  const { log } = parts;
  const path = state.loaded.path ?? DEFAULT_CONFIG_FILE;
  const stored: { current: ReplacedConfig } = { current: { config: state.loaded, isStored: true } };
  const retry = new Retry(parts.retryClock ?? systemClock, () => watching.reload());
  async function applyChange(loaded: LoadedConfig, restart: readonly string[]): Promise<void> {
    const before = state.loaded;
    try {
      await snapshots.applyChange(async () => {
        await storeConfig(loaded, parts, stored);
        state.loaded = loaded;
      });
      retry.reset();
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
      await rejectFile(error, true);
    }
  }
  async function rejectFile(error: unknown, isRetried: boolean): Promise<void> {
    parts.runtime.recordReload(false);
    state.rejected = { at: systemClock.now(), problems: logProblems(error, log) };
    await notifyEventStreams(parts, 'config.rejected');
    if (isRetried) retry.schedule();
    else retry.reset();
  }
  const watching = watchConfig({
    path,
    current: state.loaded,
    load: (text, current) => thread.load(text, current),
    log,
    clock: systemClock,
    onChange: (change) =>
      'error' in change
        ? rejectFile(change.error, !isCausedByFile(change.error))
        : applyChange(change.loaded, change.restart),
  });
  return {
    ...watching,
    close() {
      retry.reset();
      watching.close();
      return thread.close();
    },
  };
}

/**
 * Returns whether floe.yaml itself is why it could not be loaded, and not only `outbound.ca_file`, which can appear
 * later.
 */
function isCausedByFile(error: unknown): boolean {
  if (error instanceof ConfigError) return error.problems.some(({ where }) => where !== 'outbound.ca_file');
  return error instanceof ConfigFileSizeError;
}

/**
 * Stores a configuration. `stored.current` is the last one that was stored. It is not in use if a change failed after
 * its commit.
 */
async function storeConfig(
  loaded: LoadedConfig,
  parts: ApplyConfigFileDependencies,
  stored: { current: ReplacedConfig },
): Promise<void> {
  try {
    await applyConfigFile(loaded, parts, stored.current);
    stored.current = { config: loaded, isStored: true };
  } catch (error) {
    // After a conflict, nothing was changed. After another error, it is not known whether the change was committed.
    if (!(error instanceof ConfigError)) stored.current = { ...stored.current, isStored: false };
    throw error;
  }
}

/** Repeats an action until it succeeds. */
class Retry {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #run: () => unknown;
  #timer: Timer | null = null;
  #waitMs = FIRST_RETRY_MS;

  constructor(clock: Pick<Clock, 'after'>, run: () => unknown) {
    this.#clock = clock;
    this.#run = run;
  }

  schedule(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(this.#waitMs, this.#run);
    this.#waitMs = Math.min(MAX_RETRY_MS, 2 * this.#waitMs);
  }

  /** Ends the retries. */
  reset(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#waitMs = FIRST_RETRY_MS;
  }
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

/** All users can see the problems. The error may contain addresses and paths of the server. */
const FAILURE_MESSAGE =
  'The file could not be applied, because an error occurred on the server. Floe tries again. The log of the server contains the reason.';

/**
 * Logs why a changed file was not applied: an invalid file, an unavailable database, or a bug. Returns the
 * problems for users.
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
  return [{ where: '', message: error instanceof ConfigFileSizeError ? error.message : FAILURE_MESSAGE }];
}
