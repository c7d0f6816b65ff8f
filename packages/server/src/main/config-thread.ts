import { type ChunkedConfig, ConfigAssembler } from '../config/config-chunks.ts';
import { ConfigError } from '../config/config-problem.ts';
import type { ServerEnvironment } from '../config/environment.ts';
import { createLoadedConfig, type LoadedConfig } from '../config/load-config.ts';
import type { ConfigEnvironment, ParsedConfig } from '../config/parse-config.ts';
import type { Clock } from '../core/clock.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { TaskLimitExceededError, ThreadPool } from '../core/thread-pool.ts';

/** The largest accepted file takes a few seconds. */
const TIMEOUT_MS = 120_000;
/** The largest accepted file needs less than a quarter of this. */
const HEAP_MB = 768;
/** Files often change several times in a row. The thread uses much memory. */
const IDLE_MS = 5_000;

/**
 * The input of the configuration thread: the content of floe.yaml and the environment variables that it can
 * refer to. The thread never parses documents that clients submit.
 */
export interface ConfigParsingTask extends Omit<ConfigEnvironment, 'variable'> {
  /** Content of the file. */
  readonly text: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The result of the worker thread: the configuration, or the reason why the file is invalid. */
export type ConfigParsingReply =
  | { readonly parsed: Omit<ParsedConfig, 'config' | 'text'>; readonly config: ChunkedConfig }
  | { readonly rejected: Pick<ConfigError, 'path' | 'problems'> };

/** The settings of the configuration thread. Each one has a default, which only tests override. */
export interface ConfigThreadOptions {
  readonly entry?: URL;
  readonly heapMb?: number;
  readonly timeoutMs?: number;
  readonly turns?: Pick<EventLoopYielder, 'endStep'>;
}

/** Thrown if parsing floe.yaml needs too much memory or time. */
export class ConfigFileSizeError extends Error {
  override readonly name = 'ConfigFileSizeError';
}

/** Parses and validates floe.yaml in a worker thread, so that the main thread serves requests meanwhile. */
export class ConfigThread {
  readonly #environment: ServerEnvironment;
  readonly #pool: ThreadPool;
  readonly #heapMb: number;
  readonly #timeoutMs: number;
  /** The digest of each organization of a configuration that the thread read. */
  readonly #digests = new WeakMap<LoadedConfig, ReadonlyMap<string, string>>();
  readonly #turns: () => Pick<EventLoopYielder, 'endStep'>;

  constructor(
    environment: ServerEnvironment,
    clock: Pick<Clock, 'after'>,
    { entry, heapMb = HEAP_MB, timeoutMs = TIMEOUT_MS, turns }: ConfigThreadOptions = {},
  ) {
    this.#environment = environment;
    this.#heapMb = heapMb;
    this.#timeoutMs = timeoutMs;
    this.#turns = () => turns ?? new EventLoopYielder();
    this.#pool = new ThreadPool({
      entry: entry ?? new URL('./config-worker.ts', import.meta.url),
      name: 'config',
      maxThreads: 1,
      maxRunningPerTenant: 1,
      maxQueuedPerTenant: 1,
      taskTimeoutMs: timeoutMs,
      idleTimeoutMs: IDLE_MS,
      maxHeapMb: heapMb,
      clock,
    });
  }

  /**
   * Parses the content of the file as `loadConfig` does. Parts that are equal in `running` are the same
   * objects.
   *
   * @throws ConfigError for an invalid file, and other errors if the thread failed
   */
  async load(text: string, running: LoadedConfig): Promise<LoadedConfig> {
    const reply = await this.#parse(text);
    if ('rejected' in reply) throw new ConfigError(reply.rejected.path, reply.rejected.problems);
    const { parsed, config } = reply;
    const turns = this.#turns();
    const assembler = new ConfigAssembler(running.config);
    const known = this.#digests.get(running);
    for (const { id, digest, chunks } of config.orgs) {
      if (known?.get(id) === digest && assembler.addRunning(id)) continue;
      for (const chunk of chunks) {
        assembler.add(chunk);
        await turns.endStep();
      }
    }
    const loaded = createLoadedConfig({ ...parsed, text, config: assembler.finish(config.installation) });
    this.#digests.set(loaded, new Map(config.orgs.map(({ id, digest }) => [id, digest])));
    return loaded;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** The reply has the type that `config-worker.ts` sends. */
  async #parse(text: string): Promise<ConfigParsingReply> {
    const { configPath, dataDir, overrides, unknown } = this.#environment;
    const variables = this.#environment.variables();
    const task: ConfigParsingTask = { text, configPath, dataDir, overrides, unknown, variables };
    try {
      return (await this.#pool.run('', task)) as ConfigParsingReply;
    } catch (error) {
      if (!(error instanceof TaskLimitExceededError)) throw error;
      const limit =
        error.exceeded === 'memory' ? `${this.#heapMb} MB of memory` : `${this.#timeoutMs / 1_000} s`;
      throw new ConfigFileSizeError(
        `Parsing the configuration file exceeded the limit of ${limit}. Make the file smaller.`,
      );
    }
  }
}
