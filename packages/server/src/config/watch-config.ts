import { isUtf8 } from 'node:buffer';
import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FloeConfig } from '@floe/contract/config';
import { buildLocalListenerUrl } from '@floe/contract/config/server';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { LoadedConfig } from './load-config.ts';
import { createInvalidUtf8Error } from './parse-config.ts';
import { listSecretFilePaths } from './secret-file.ts';

/**
 * Editors write, truncate and rename a file; Kubernetes replaces a link. Events within this time are one
 * change.
 */
const DEBOUNCE_MS = 200;
/** Other files of the directory, such as the database, may change all the time. */
const MAX_DEBOUNCE_MS = 1_000;
/** Network file systems and bind mounts send no events, so the file is also polled. */
const POLL_INTERVAL_MS = 5_000;

export type ConfigFileChange =
  /** `restart` lists the changed fields that take effect only after a restart. */
  | { readonly loaded: LoadedConfig; readonly restart: readonly string[] }
  /** A `ConfigError`, or another error if the file could not be read. Neither ends the process. */
  | { readonly error: unknown };

export interface ConfigWatcherOptions {
  readonly path: string;
  /** The running configuration. */
  readonly current: LoadedConfig;
  /**
   * Loads the content of the file with the options that the process was started with. Errors, such as
   * `ConfigError`, are passed to `onChange`.
   */
  readonly load: (text: string, running: LoadedConfig) => Promise<LoadedConfig>;
  /** Applies or reports a change. Never rejects. The next change is read afterwards. */
  readonly onChange: (change: ConfigFileChange) => unknown;
  readonly log: Log;
  readonly clock: Clock;
}

export interface ConfigWatcher {
  /**
   * Reads the file now, for SIGHUP. Also reports an unchanged file again if it was rejected. Resolves
   * when a change has been reported.
   */
  reload(): Promise<void>;
  /** Informs the watcher that the last reported change was not applied, and that `running` is still in use. */
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
  const reader = new ChangeReader(options);
  let looking: Timer | undefined;
  let isClosed = false;
  // Changes are read and applied one at a time and in order.
  let last: Promise<void> = Promise.resolve();

  // Runs in timers and signal handlers, where an exception would end the process.
  const reloadIfChanged = (isRepeated = false) => {
    debounce.cancel();
    last = last.then(async () => {
      const change = isClosed ? null : await reader.read(isRepeated);
      if (change !== null && !isClosed) await options.onChange(change);
    });
    return last;
  };
  // Most events in a busy directory are about other files.
  const debounce = new Debounce(clock, () => {
    debounce.cancel();
    if (reader.isTouched()) void reloadIfChanged();
  });
  const pollFile = () => {
    if (reader.isTouched()) debounce.schedule();
    looking = clock.after(POLL_INTERVAL_MS, pollFile);
  };

  const watcher = watchDirectory(dirname(path), () => debounce.schedule(), log);
  looking = clock.after(POLL_INTERVAL_MS, pollFile);
  return {
    reload: () => reloadIfChanged(true),
    rejectChange: (before) => reader.reject(before),
    close() {
      isClosed = true;
      watcher?.close();
      debounce.cancel();
      looking?.cancel();
    },
  };
}

/** Reads the file, and compares it with what was read last. */
class ChangeReader {
  readonly #options: ConfigWatcherOptions;
  readonly #seen: SeenContent;
  #running: LoadedConfig;
  #seenStamp: string;
  #isApplied = true;

  constructor(options: ConfigWatcherOptions) {
    const { path, current } = options;
    this.#options = options;
    this.#running = current;
    this.#seen = new SeenContent(dirname(path), current.text);
    // A file that was created during the start also counts as a change.
    this.#seenStamp = current.path === null ? '' : fileStamp(path);
  }

  isTouched(): boolean {
    return fileStamp(this.#options.path) !== this.#seenStamp || this.#seen.hasChangedSecrets();
  }

  /** Returns the change, or null if there is none. @param isRepeated also returns a rejected change again */
  async read(isRepeated: boolean): Promise<ConfigFileChange | null> {
    try {
      return await this.#read(isRepeated && !this.#isApplied);
    } catch (error) {
      // SIGHUP tries again, because the reason can be outside the file.
      this.#isApplied = false;
      return { error };
    }
  }

  reject(running: LoadedConfig): void {
    this.#running = running;
    this.#isApplied = false;
  }

  /** @param isForced also returns the content that was read last */
  async #read(isForced: boolean): Promise<ConfigFileChange | null> {
    const { path, log, load } = this.#options;
    const stamp = fileStamp(path);
    const { text, isRead, isValid } = readNonEmptyText(path);
    // A file that exists but cannot be read is read again at the next check.
    this.#seenStamp = isRead ? stamp : '';
    if (text === '' && this.#seen.text !== '')
      log.warn({ path }, 'configuration file is missing or empty; the running configuration is kept');
    if (isForced) this.#seen.text = '';
    if (!this.#seen.update(text)) return null;
    this.#isApplied = true;
    if (!isValid) throw createInvalidUtf8Error(path);
    const before = this.#running;
    // The file may change again meanwhile. An editor that truncates it must not remove every organization.
    const loaded = await load(text, before);
    this.#running = loaded;
    return { loaded, restart: changedRestartFields(before.config, loaded.config) };
  }
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
  /** Searching a large text takes milliseconds, and the files are checked every few seconds. */
  #files: { readonly text: string; readonly paths: readonly string[] } | null = null;
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
    if (this.#files?.text !== text) this.#files = { text, paths: listSecretFilePaths(text, this.#directory) };
    return this.#files.paths.map(fileStamp).join();
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
function readNonEmptyText(path: string): {
  readonly text: string;
  readonly isRead: boolean;
  readonly isValid: boolean;
} {
  try {
    const bytes = readFileSync(path);
    const text = new TextDecoder().decode(bytes);
    return { text: text.trim() === '' ? '' : text, isRead: true, isValid: isUtf8(bytes) };
  } catch {
    return { text: '', isRead: false, isValid: true };
  }
}

/** Changed fields that need a restart, because sockets, databases and capacities are created only at the start. */
function changedRestartFields(before: FloeConfig, after: FloeConfig): string[] {
  const fields: [string, unknown, unknown][] = [
    ['server.host', before.server.host, after.server.host],
    ['server.port', before.server.port, after.server.port],
    ['server.base_url', explicitBaseUrl(before), explicitBaseUrl(after)],
    ['server.processes', before.server.processes, after.server.processes],
    ['server.trusted_proxies', before.server.trusted_proxies, after.server.trusted_proxies],
    [
      'server.unauthenticated_connections',
      before.server.unauthenticated_connections,
      after.server.unauthenticated_connections,
    ],
    ['server.overload', before.server.overload, after.server.overload],
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
