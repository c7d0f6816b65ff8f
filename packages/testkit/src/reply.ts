import type { Answer, Delivery, Framing } from './answer.ts';
import type { Chunking } from './chunking.ts';
import type { Interaction } from './recordings.ts';

/** An answer with what is left out filled in: 200, JSON or the interaction's own headers, usual delivery. */
export interface Reply {
  readonly interaction?: Interaction;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  readonly chunking?: Chunking;
  readonly framing?: Framing;
  readonly paced?: boolean;
}

/** A JSON answer. */
export function jsonReply(value: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** A server-sent event answer: strings go out as they are, objects as `data:` lines. */
export function sseReply(events: readonly (string | object)[]): Reply {
  const body = events.map((event) =>
    typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`,
  );
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body: body.join('') };
}

/** The answer a reply stands for. */
export function answerOf(reply: Reply): Answer {
  const base = reply.interaction ?? {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.alloc(0),
  };
  const body = reply.body === undefined ? base.body : Buffer.from(reply.body);
  return { status: reply.status ?? base.status, headers: { ...base.headers, ...reply.headers }, body };
}

/** What a reply says about its delivery. */
export function deliveryOf(reply: Reply): Partial<Delivery> {
  return {
    ...(reply.chunking !== undefined && { chunking: reply.chunking }),
    ...(reply.framing !== undefined && { framing: reply.framing }),
    ...(reply.paced !== undefined && { paced: reply.paced }),
  };
}
