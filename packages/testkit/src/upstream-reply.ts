import type { Chunking } from './chunking.ts';
import type { FakeResponse, Framing, ResponseDelivery } from './fake-response.ts';
import type { RecordedInteraction } from './recordings.ts';

/**
 * A reply with optional parts. The defaults are status 200, the interaction's headers or those of
 * JSON, and the default delivery.
 */
export interface UpstreamReply {
  readonly interaction?: RecordedInteraction;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  readonly chunking?: Chunking;
  readonly framing?: Framing;
  readonly isPaced?: boolean;
}

/** Creates a JSON reply. */
export function createJsonReply(value: unknown, status = 200): UpstreamReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** Creates a reply with server-sent events. Strings are sent unchanged, objects as `data:` lines. */
export function createSseReply(events: readonly (string | object)[]): UpstreamReply {
  const body = events.map((event) =>
    typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`,
  );
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body: body.join('') };
}

/** Converts a reply to a complete response. */
export function toFakeResponse(reply: UpstreamReply): FakeResponse {
  const base = reply.interaction ?? {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.alloc(0),
  };
  const body = reply.body === undefined ? base.body : Buffer.from(reply.body);
  return { status: reply.status ?? base.status, headers: { ...base.headers, ...reply.headers }, body };
}

/** Returns a reply's delivery options. */
export function toResponseDelivery(reply: UpstreamReply): Partial<ResponseDelivery> {
  return {
    ...(reply.chunking !== undefined && { chunking: reply.chunking }),
    ...(reply.framing !== undefined && { framing: reply.framing }),
    ...(reply.isPaced !== undefined && { isPaced: reply.isPaced }),
  };
}
