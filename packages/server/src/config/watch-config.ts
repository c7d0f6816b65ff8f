import { type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FloeConfig } from '@floe/contract/config';
import { localListenerUrl } from '@floe/contract/config/platform';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { LoadedConfig } from './load-config.ts';
import { listSecretFiles } from './secret-file.ts';

/** Editors write, truncate and rename; Kubernetes swaps a link to a directory. One burst is one change. */
const DEBOUNCE_MS = 200;
/** Network file systems and bind mounts send no events, so the file is also looked at now and then. */
const POLL_INTERVAL_MS = 5_000;

export type ConfigChange =
  /** `restart` lists changed fields that this process cannot take over while it runs. */
  | { readonly loaded: LoadedConfig; readonly restart: readonly string[] }
  /** A `ConfigError`, or a bug in the code that reads the file: neither may end the process. */
  | { readonly error: unknown };

export interface ConfigWatchOptions {
  readonly path: string;
  /** What runs now. */
  readonly current: LoadedConfig;
  /** Loads `path` again with the options of the start; throws ConfigError. What it throws is reported, not passed on. */
  readonly load: () => LoadedConfig;
  readonly onChange: (change: ConfigChange) => void;
  readonly log: Log;
  readonly clock: Clock;
}

export interface ConfigWatch {
  /** Looks at the file now, as SIGHUP asks; once more at one that was not taken over. */
  reload(): void;
  /** The change that was told last is not taken over: `running` goes on. */
  rejectChange(running: LoadedConfig): void;
  close(): void;
}

/**
 * Calls back when the content of floe.yaml, or a file that it names with `${file:PATH}`, changed: with the new configuration, or with what is wrong
 * with it, in which case the running one stays. The same content is no change; a file that is missing
 * or empty is waited for, because taking it at its word would remove every org. This includes a file
 * that did not exist when the server started.
 */
export function watchConfig(options: ConfigWatchOptions): ConfigWatch {
  const { path, clock, log } = options;
  let running = options.current;
  const seen = new SeenContent(dirname(path), running.text);
  // A file that was created while the server started is a change too.
  let seenStamp = running.path === null ? '' : fileStamp(path);
  let isApplied = true;
  let settling: Timer | undefined;
  let looking: Timer | undefined;

  // Runs in timers and signal handlers, where anything thrown would end the process.
  const reloadIfChanged = () => {
    settling?.cancel();
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
    // The file is gone again: an empty configuration would remove every org.
    if (loaded.path === null) return null;
    const restart = changedRestartFields(running.config, loaded.config);
    running = loaded;
    return { loaded, restart };
  };
  const scheduleReload = () => {
    settling?.cancel();
    settling = clock.after(DEBOUNCE_MS, reloadIfChanged);
  };
  const pollFile = () => {
    if (fileStamp(path) !== seenStamp || seen.hasChangedSecrets()) scheduleReload();
    looking = clock.after(POLL_INTERVAL_MS, pollFile);
  };

  const watcher = watchDirectory(dirname(path), scheduleReload, log);
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
      settling?.cancel();
      looking?.cancel();
    },
  };
}

/** What was read last: the text of the file, and the state of the secret files that it names. */
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

  /** Takes over a text unless it is empty. Returns whether it, or a file that it names, has changed. */
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

/** The directory and not the file: a rename over the file would end a watch on the file. */
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

/** Changes when the file, or what a link leads to, was written or replaced. */
function fileStamp(path: string): string {
  try {
    const stat = statSync(path);
    return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  } catch {
    return '';
  }
}

/** The text; empty while it cannot be read. Editors truncate or remove the file before they write it. */
function readNonEmptyText(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() === '' ? '' : text;
  } catch {
    return '';
  }
}

/** Sockets and stores are opened once, at the start. */
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

/** The base address, where it is not simply host and port, which are named themselves. */
function explicitBaseUrl({ server: { base_url, host, port } }: FloeConfig): string | null {
  return base_url === localListenerUrl(host, port) ? null : base_url;
}
