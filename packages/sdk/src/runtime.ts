/** The part of the standard `fetch` that is used; any implementation of the standard fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string;
  redirect: 'manual';
  signal: AbortSignal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): FetchReader } | null;
}

export interface FetchReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export interface RuntimeTimer {
  cancel(): void;
}

/** What the SDK takes from the runtime it lives in; tests give their own. */
export interface Runtime {
  readonly fetch: Fetch;
  /** Wall clock, in milliseconds since the Unix epoch. */
  now(): number;
  /** Never goes back, in milliseconds. */
  monotonic(): number;
  /** Calls back once after `ms`. With `keepsAlive: false` it does not keep the process from ending. */
  after(ms: number, callback: () => void, keepsAlive: boolean): RuntimeTimer;
  /** In [0, 1). */
  random(): number;
  /** A fresh UUID: names a beat, so that its retries are one beat, or a run. */
  id(): string;
  log(line: string): void;
}

/** `setTimeout` counts in 31 bits: a longer wait would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Node 18, 20, 22, 24, 26, Deno, Bun, workers and browsers. */
export function createRuntime(given?: Fetch): Runtime {
  return {
    // Looked up at each call: test tools and tracers replace the global one.
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

/** Node and Bun give an object that can be unref'd, Deno a number and a function; elsewhere nothing is held. */
function unrefTimer(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    if (typeof timer.unref === 'function') timer.unref();
    return;
  }
  const deno: unknown = Reflect.get(globalThis, 'Deno');
  if (typeof deno !== 'object' || deno === null || !('unrefTimer' in deno)) return;
  if (typeof deno.unrefTimer === 'function') deno.unrefTimer(timer);
}

/** A random UUID. Node 18 has no global `crypto`; uniqueness is all that is needed here, not secrecy. */
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
