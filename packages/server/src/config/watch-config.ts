import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FloeConfig } from '@floe/contract/config';
import { buildLocalListenerUrl } from '@floe/contract/config/server';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { LoadedConfig } from './load-config.ts';
import { listSecretFiles } from './secret-file.ts';

/**
 * Editors write, truncate and rename a file; Kubernetes replaces a link. Events within this time are one
 * change.
 */
const DEBOUNCE_MS = 200;
/** Other files of the directory, such as the database, may change all the time. */
const MAX_DEBOUNCE_MS = 1_000;
/** Network file systems and bind mounts send no events, so the file is also polled. */
const POLL_INTERVAL_MS = 5_000;

export type ConfigChange =
  /** `restart` lists the changed fields that take effect only after a restart. */
  | { readonly loaded: LoadedConfig; readonly restart: readonly string[] }
  /** A `ConfigError`, or a bug in the code that reads the file. Neither ends the process. */
  | { readonly error: unknown };

export interface ConfigWatcherOptions {
  readonly path: string;
  /** The running configuration. */
  readonly current: LoadedConfig;
  /**
   * Loads `path` again with the options of the start. Errors, such as ConfigError, are passed to
   * `onChange`.
   */
  readonly load: () => LoadedConfig;
  readonly onChange: (change: ConfigChange) => void;
  readonly log: Log;
  readonly clock: Clock;
}

export interface ConfigWatcher {
  /** Reads the file now, for SIGHUP. Also reports an unchanged file again if it was rejected. */
  reload(): void;
  /** States that the last reported change was not applied and that `running` is still in use. */
  rejectChange(running: LoadedConfig): void;
  close(): void;
}

/**
 * Reports changes to floe.yaml and to the files that it refers to with `${file:PATH}`. A report
 * contains the new configuration, or the error if it is invalid. Unchanged content is not reported.
 * A missing or empty file is ignored, because applying it would remove every organization. A file
 * that does not exist yet is also watched.
 */
export function watchConfig(options: ConfigWatcherOptions): ConfigWatcher {
  const { path, clock, log } = options;
  let running = options.current;
  const seen = new SeenContent(dirname(path), running.text);
  // A file that was created during the start also counts as a change.
  let seenStamp = running.path === null ? '' : fileStamp(path);
  let isApplied = true;
  let looking: Timer | undefined;

  // Runs in timers and signal handlers, where an exception would end the process.
  const reloadIfChanged = () => {
    debounce.cancel();
    const change = catchChange(readChange);
    if (change !== null) options.onChange(change);
  };
  const readChange = (): ConfigChange | null => {
    seenStamp = fileStamp(path);
    const text = readNonEmptyText(path);
    if (text === '' && seen.text !== '')
      log.warn({ path }, 'configuration file is missing or empty; the running configuration is kept');
    if (!seen.update(text)) return null;
    isApplied = true;
    const loaded = options.load();
    seen.text = loaded.path === null ? running.text : loaded.text;
    // The file was removed again. Applying an empty configuration would remove every organization.
    if (loaded.path === null) return null;
    const restart = changedRestartFields(running.config, loaded.config);
    running = loaded;
    return { loaded, restart };
  };
  const isTouched = () => fileStamp(path) !== seenStamp || seen.hasChangedSecrets();
  // Most events in a busy directory are about other files.
  const debounce = new Debounce(clock, () => {
    debounce.cancel();
    if (isTouched()) reloadIfChanged();
  });
  const pollFile = () => {
    if (isTouched()) debounce.schedule();
    looking = clock.after(POLL_INTERVAL_MS, pollFile);
  };

  const watcher = watchDirectory(dirname(path), () => debounce.schedule(), log);
  looking = clock.after(POLL_INTERVAL_MS, pollFile);
  return {
    reload() {
      if (!isApplied) seen.text = '';
      reloadIfChanged();
    },
    rejectChange(before) {
      running = before;
      isApplied = false;
    },
    close() {
      watcher?.close();
      debounce.cancel();
      looking?.cancel();
    },
  };
}

/** Runs an action once after events that follow each other. */
class Debounce {
  readonly #clock: Clock;
  readonly #run: () => void;
  #timer: Timer | null = null;
  #since = 0;

  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  schedule(): void {
    const nowMs = this.#clock.monotonic();
    if (this.#timer === null) this.#since = nowMs;
    else this.#timer.cancel();
    const ms = Math.min(DEBOUNCE_MS, Math.max(0, this.#since + MAX_DEBOUNCE_MS - nowMs));
    this.#timer = this.#clock.after(ms, this.#run);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}

/** The content that was read last: the text of the file and the state of its secret files. */
class SeenContent {
  text: string;
  readonly #directory: string;
  #secrets: string;

  constructor(directory: string, text: string) {
    this.text = text;
    this.#directory = directory;
    this.#secrets = this.#stampSecrets(text);
  }

  hasChangedSecrets(): boolean {
    return this.#stampSecrets(this.text) !== this.#secrets;
  }

  /** Stores the text unless it is empty. Returns whether the text or a secret file has changed. */
  update(text: string): boolean {
    const secrets = this.#stampSecrets(text === '' ? this.text : text);
    const isSame = text === this.text && secrets === this.#secrets;
    this.#secrets = secrets;
    if (text === '' || isSame) return false;
    this.text = text;
    return true;
  }

  #stampSecrets(text: string): string {
    return listSecretFiles(text, this.#directory).map(fileStamp).join();
  }
}

function catchChange(next: () => ConfigChange | null): ConfigChange | null {
  try {
    return next();
  } catch (error) {
    return { error };
  }
}

/** Watches the directory, because renaming another file over the watched file would end the watch. */
function watchDirectory(directory: string, onEvent: () => void, log: Log): FSWatcher | undefined {
  const logFallback = (error: unknown) =>
    log.debug(
      { directory, error: String(error) },
      'file events are not available; the configuration file is polled instead',
    );
  try {
    const watcher = watch(directory, { persistent: false }, onEvent);
    watcher.on('error', logFallback);
    return watcher;
  } catch (error) {
    logFallback(error);
    return undefined;
  }
}

/** A stamp that changes if the file, or the target of a link, was written or replaced. */
function fileStamp(path: string): string {
  try {
    const stat = statSync(path);
    return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  } catch {
    return '';
  }
}

/**
 * The text of the file, or '' if it cannot be read. Editors truncate or remove a file before they write it.
 */
function readNonEmptyText(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? '' : text;
  } catch {
    return '';
  }
}

/** Changed fields that need a restart, because sockets and databases are opened only at the start. */
function changedRestartFields(before: FloeConfig, after: FloeConfig): string[] {
  const fields: [string, unknown, unknown][] = [
    ['server.host', before.server.host, after.server.host],
    ['server.port', before.server.port, after.server.port],
    ['server.base_url', explicitBaseUrl(before), explicitBaseUrl(after)],
    ['server.trusted_proxies', before.server.trusted_proxies, after.server.trusted_proxies],
    [
      'server.unauthenticated_connections',
      before.server.unauthenticated_connections,
      after.server.unauthenticated_connections,
    ],
    ['server.listeners', before.server.listeners, after.server.listeners],
    ['storage.database', before.storage.database, after.storage.database],
    ['storage.shared', before.storage.shared, after.storage.shared],
    ['storage.shared_timeout_ms', before.storage.shared_timeout_ms, after.storage.shared_timeout_ms],
  ];
  return fields.filter(([, old, now]) => !isDeepStrictEqual(old, now)).map(([name]) => name);
}

/**
 * The configured base URL. Null if it consists only of host and port, which are compared as fields of their
 * own.
 */
function explicitBaseUrl({ server: { base_url, host, port } }: FloeConfig): string | null {
  return base_url === buildLocalListenerUrl(host, port) ? null : base_url;
}
