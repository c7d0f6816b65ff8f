import type { Fetch, FetchInit, Runtime } from '../runtime.ts';

export interface CapturedRequest extends FetchInit {
  readonly url: string;
}

/** Replaces `fetch`. The test provides each response, and all requests are recorded. */
export class FakeFloeServer {
  readonly requests: CapturedRequest[] = [];
  answer: (request: CapturedRequest, index: number) => Response | Promise<Response> = () =>
    createCommittedBeatResponse();

  readonly fetch: Fetch = async (url, init) => {
    const request = { url, ...init };
    this.requests.push(request);
    return this.answer(request, this.requests.length - 1);
  };

  bodies(): unknown[] {
    return this.requests.map((request): unknown => JSON.parse(request.body));
  }
}

/** Returns the response to a beat. Its default interval is an hour. */
export function createCommittedBeatResponse(intervalMs = 3_600_000): Response {
  const at = Date.UTC(2026, 10, 21, 12);
  return Response.json({
    ok: true,
    monitor_id: 'job',
    beat_id: 'beat_1',
    received_at: new Date(at).toISOString(),
    status: 'healthy',
    next_due_at: new Date(at + intervalMs).toISOString(),
  });
}

/**
 * Creates a runtime with a manual clock. `lines` contains the logged lines. `kept` contains the
 * `keepsAlive` value of each open timer.
 */
export function createFakeRuntime(
  clock: {
    now(): number;
    monotonic(): number;
    after(ms: number, callback: () => void): { cancel(): void };
  },
  server: FakeFloeServer,
): Runtime & { lines: string[]; waits: { ms: number; keepsAlive: boolean }[]; skewMs: number } {
  let ids = 0;
  const around = {
    lines: [] as string[],
    waits: [] as { ms: number; keepsAlive: boolean }[],
    skewMs: 0,
    fetch: server.fetch,
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + around.skewMs,
    after: (ms: number, callback: () => void, keepsAlive: boolean) => {
      around.waits.push({ ms, keepsAlive });
      return clock.after(ms, callback);
    },
    random: () => 0.5,
    id: () => `beat-${++ids}`,
    log: (line: string) => void around.lines.push(line),
  };
  return around;
}
