import { Fault } from '@floe/contract/faults';
import { isAwsEventStream } from '@floe/wire/converse/aws-event-stream';
import type { UpstreamHeaders, UpstreamResponseHead } from '../providers/transport.ts';
import type { AttemptPlan, ResponseSink } from './attempt-plan.ts';
import { BinaryFrameSink } from './binary-frame-sink.ts';
import { createErrorResponseSink, createUnexpectedContentTypeFault } from './error-response-sink.ts';
import type { Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';
import { SniffedResponseSink } from './sniffed-response-sink.ts';
import { getUpstreamHeader } from './upstream-error.ts';

/** Returns whether a response is an event stream: server-sent events, or the binary event stream of AWS. */
export function isEventStream(headers: UpstreamHeaders): boolean {
  const type = readContentType(headers);
  return isAwsEventStream(type) || /^\s*text\/event-stream\b/i.test(type);
}

/**
 * Creates the sink for a provider's response.
 * @throws Fault `upstream_error` if the response has a content encoding, although Floe did not request one
 */
export function createAttemptSink(
  x: Exchange,
  { provider }: Target,
  plan: AttemptPlan,
  { status, headers }: UpstreamResponseHead,
): ResponseSink {
  if (plan.createRawSink) return plan.createRawSink({ status, headers });
  if (status < 200 || status >= 300)
    return createErrorResponseSink(x, (body) => plan.toError({ status, headers, body }));
  const encoding = getUpstreamHeader(headers, 'content-encoding');
  if (encoding !== undefined && encoding !== 'identity') {
    const why = `${provider.id} sent a response with content-encoding ${encoding}, although Floe requested an unencoded response.`;
    throw new Fault('upstream_error', why);
  }
  const type = readContentType(headers);
  const wanted = x.request.prompt?.stream ? 'an event stream' : 'JSON';
  if (/^\s*text\/html\b/i.test(type))
    return createErrorResponseSink(x, (body) =>
      createUnexpectedContentTypeFault(provider.id, wanted, { status, headers, body }),
    );
  if (isAwsEventStream(type)) return new BinaryFrameSink(x.capacity, plan.createSink(true));
  if (isEventStream(headers)) return plan.createSink(true);
  if (!x.request.prompt?.stream) return plan.createSink(false);
  return new SniffedResponseSink((streamed) => plan.createSink(streamed));
}

/**
 * Records the usage of a failed attempt. Returns `reason`, or the error that occurred, which only a bug can cause. Never
 * throws, because it is called by timers and socket listeners.
 */
export function abortSink(sink: ResponseSink | null, reason: Error): Error {
  try {
    sink?.abort();
    return reason;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function readContentType(headers: UpstreamHeaders): string {
  return getUpstreamHeader(headers, 'content-type') ?? '';
}
