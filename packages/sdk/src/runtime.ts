/** The part of the standard function `fetch` that the SDK uses. Any standard implementation can be passed. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** The second argument with which the SDK calls `fetch`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string;
  redirect: 'manual';
  signal: AbortSignal;
}

/** The part of a response of `fetch` that the SDK uses. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): FetchReader } | null;
}

/** The part of a stream reader that the SDK uses. */
export interface FetchReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** A timer that can be canceled. */
export interface RuntimeTimer {
  cancel(): void;
}

/** The functions of the JavaScript runtime that the SDK uses. Tests replace them. */
export interface Runtime {
  readonly fetch: Fetch;
  /** Wall clock time in milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /**
   * Calls `callback` once after `ms` milliseconds. The timer keeps the process alive only if `keepsAlive` is
   * true.
   */
  after(ms: number, callback: () => void, keepsAlive: boolean): RuntimeTimer;
  /** Random number in [0, 1). */
  random(): number;
  /** A new UUID. It identifies a run, or a beat with all its retries. */
  id(): string;
  log(line: string): void;
}

/** `setTimeout` uses 31 bits. A longer delay would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates a `Runtime` that works in Node 18 to 26, Deno, Bun, workers and browsers. `given` replaces the global
 * `fetch`.
 */
export function createRuntime(given?: Fetch): Runtime {
  return {
    // Read at each call, because test tools and tracers replace the global function.
    fetch: given ?? ((url, init) => globalThis.fetch(url, init)),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after: setLongTimeout,
    random: () => Math.random(),
    id: randomUuid,
    // biome-ignore lint/suspicious/noConsole: a library has no log of its own, and silence would hide a dead monitor
    log: (line) => console.warn(line),
  };
}

function setLongTimeout(ms: number, callback: () => void, keepsAlive: boolean): RuntimeTimer {
  let leftMs = Math.max(0, ms);
  let timer = arm();
  function arm(): ReturnType<typeof setTimeout> {
    const stepMs = Math.min(leftMs, MAX_TIMER_MS);
    leftMs -= stepMs;
    const armed = setTimeout(() => {
      if (leftMs > 0) timer = arm();
      else callback();
    }, stepMs);
    if (!keepsAlive) unrefTimer(armed);
    return armed;
  }
  return { cancel: () => clearTimeout(timer) };
}

/**
 * Lets the process end before a timer fires. Node and Bun have timer objects, Deno has numbers and a
 * function; other runtimes do not wait for timers.
 */
function unrefTimer(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    if (typeof timer.unref === 'function') timer.unref();
    return;
  }
  const deno: unknown = Reflect.get(globalThis, 'Deno');
  if (typeof deno !== 'object' || deno === null || !('unrefTimer' in deno)) return;
  if (typeof deno.unrefTimer === 'function') deno.unrefTimer(timer);
}

/** A random UUID. Node 18 has no global `crypto`. The ids must be unique and not secret. */
function randomUuid(): string {
  const bytes = new Uint8Array(16);
  if (typeof globalThis.crypto?.getRandomValues === 'function') globalThis.crypto.getRandomValues(bytes);
  else for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(Math.random() * 256);
  // Version 4, variant 1 (RFC 9562, section 5.4).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
