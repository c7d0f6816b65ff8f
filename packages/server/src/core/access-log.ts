import type { Clock, Timer } from './clock.ts';
import type { LineDestination } from './log.ts';

/** Batches lines, so that a busy process makes one system call for many requests. */
const FLUSH_INTERVAL_MS = 100;
const FLUSH_CHARS = 64 * 1024;
/** Floe drops further lines while the reader of the log does not read. */
const MAX_PENDING_CHARS = 8 * 1024 * 1024;

/** The `log.access` settings in the configuration in use. */
export interface AccessLogSettings {
  readonly enabled: boolean;
  readonly sample: number;
}

/**
 * Writes one line per finished request. Callers must call `accepts` first, so that they format only
 * lines that will be written.
 */
export interface AccessLog {
  /**
   * Returns whether to log a request with this result. If the log is enabled, it contains all errors and a
   * sample of all other requests.
   */
  accepts(isError: boolean): boolean;
  /** @param line JSON with a line break at the end */
  write(line: string): void;
}

/** An access log that discards every line. */
export const DISABLED_ACCESS_LOG: AccessLog = { accepts: () => false, write: () => undefined };

/** The dependencies of an `AccessLogWriter`. */
export interface AccessLogWriterOptions {
  readonly destination: LineDestination;
  readonly settings: () => AccessLogSettings;
  readonly clock: Pick<Clock, 'after' | 'now'>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** Collects access log lines and writes them in batches. A request never waits for a write. */
export class AccessLogWriter implements AccessLog {
  readonly #options: AccessLogWriterOptions;
  #pending = '';
  #timer: Timer | null = null;
  #isBlocked = false;
  #dropped = 0;

  constructor(options: AccessLogWriterOptions) {
    this.#options = options;
    options.destination.onDrain(() => {
      if (!this.#isBlocked) return;
      this.#isBlocked = false;
      this.#flush();
    });
  }

  accepts(isError: boolean): boolean {
    const { enabled, sample } = this.#options.settings();
    return enabled && (isError || sample >= 1 || this.#options.random() < sample);
  }

  write(line: string): void {
    if (this.#pending.length > MAX_PENDING_CHARS) {
      this.#dropped += 1;
      return;
    }
    this.#pending += line;
    if (this.#pending.length >= FLUSH_CHARS) this.#flush();
    else this.#timer ??= this.#options.clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }

  /** Writes all pending lines. Called when the process ends. */
  close(): void {
    this.#timer?.cancel();
    const lines = this.#takePending();
    if (lines !== '') this.#options.destination.write(lines);
    this.#options.destination.flushSync();
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#isBlocked || this.#pending === '') return;
    this.#isBlocked = !this.#options.destination.write(this.#takePending());
  }

  /** Returns the pending lines, and behind them one that reports how many further lines were dropped. */
  #takePending(): string {
    const lines = this.#pending;
    const dropped = this.#dropped;
    this.#pending = '';
    this.#dropped = 0;
    return dropped === 0 ? lines : lines + formatDropReport(this.#options.clock.now(), dropped);
  }
}

/**
 * Converts a text to JSON; null and undefined become `null`. Texts without special characters take a fast
 * path.
 */
export function quoteJson(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null';
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

const PLAIN_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

function formatDropReport(nowMs: number, lines: number): string {
  const time = new Date(nowMs).toISOString();
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'access log lines were dropped' })}\n`;
}

/** Lines of the same millisecond have the same start, and formatting a date is slow. */
let lastPrefix = { ms: Number.NaN, text: '' };

/** Returns the start of an access log line, which contains the fields that all log lines have. */
export function formatAccessLogPrefix(nowMs: number): string {
  if (nowMs !== lastPrefix.ms)
    lastPrefix = { ms: nowMs, text: `{"level":"info","time":"${new Date(nowMs).toISOString()}"` };
  return lastPrefix.text;
}

/**
 * Formats a duration in milliseconds with up to two decimals, as JSON formats the rounded number. Integers
 * are formatted several times faster than fractions.
 */
export function formatMilliseconds(ms: number): string {
  const hundredths = Math.round(ms * 100);
  // Longer durations (five months), negative ones and NaN take the ordinary path.
  if (!(hundredths >= 0 && hundredths <= MAX_FAST_HUNDREDTHS)) return JSON.stringify(hundredths / 100);
  const rest = hundredths % 100;
  const whole = `${(hundredths - rest) / 100}`;
  return rest === 0 ? whole : whole + (DECIMALS[rest] ?? '');
}

const MAX_FAST_HUNDREDTHS = 2 ** 40;

/** The texts `.01` to `.99`, without a zero at the end. */
const DECIMALS = Array.from({ length: 100 }, (_, n) => (n / 100).toString().slice(1));
