import { ResponseAccumulator, toResponseEvents } from '@floe/wire/canonical-response';
import type { ResponseWriteContext } from '@floe/wire/dialect';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import type { RequiredFeature } from '@floe/wire/request';
import type { ResponseEvent } from '@floe/wire/response-events';
import { parseSseFrame, SseFramer } from '@floe/wire/sse';
import type { CachedResponse } from '../../store/cache/response-cache.ts';
import { type ClientRequest, parseClientRequestBody } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import { createIdeResponseOptions } from '../ide/response-options.ts';
import type { Target } from '../org-catalog.ts';
import { applyPoliciesToCachedStream } from '../policy/apply-cached-stream-policies.ts';
import { applyResponsePolicies } from '../policy/apply-response-policies.ts';
import { awaitPendingPolicyEvaluation } from '../policy/pending-evaluation.ts';
import { buildResponseHeaders, buildStreamHeaders } from '../response-headers.ts';
import { parseUpstreamJson } from '../upstream-json.ts';
import {
  type CachedResponseMetadata,
  isUsageChunkRequested,
  parseCachedResponseMetadata,
} from './cached-response.ts';

/** Features whose responses can be represented only in their original form. */
const UNCONVERTIBLE_NEEDS: readonly RequiredFeature[] = [
  'logprobs',
  'choices',
  'audio-out',
  'hosted-tool',
  'unknown-content',
];

/** A cached response, converted to the form (stream or JSON) that the request expects. */
export interface AdaptedCachedResponse {
  readonly head: CachedResponseMetadata;
  readonly text: Buffer | string;
}

/**
 * Converts a cached response to the form (stream or JSON) that the request expects. Returns the original bytes if the
 * form already matches. Returns null if the stored metadata is invalid, or if the response cannot be converted.
 */
export function adaptCachedResponse(
  x: Exchange,
  ask: ClientRequest,
  target: Target,
  kept: CachedResponse,
): AdaptedCachedResponse | null {
  const head = parseCachedResponseMetadata(kept);
  if (head === null) return null;
  const text = hasSameForm(x, ask, head)
    ? kept.body
    : convertCachedAnswer(x, ask, target, { head, body: kept.body });
  return text === null ? null : { head, text };
}

/**
 * Sends a cached response to the client.
 * @throws Fault `policy_denied` if a policy denies the response to this caller
 */
export async function sendCachedResponse(
  x: Exchange,
  ask: ClientRequest,
  { head, text }: AdaptedCachedResponse,
): Promise<void> {
  // Policies may depend on the caller, so a cached response is evaluated again.
  const judged = ask.stream
    ? await applyPoliciesToCachedStream(x, text, head.usage)
    : await evaluateCachedBody(x, text);
  x.answer.setUsage(head.usage);
  x.answer.setFinishReason(head.finish);
  x.answer.setDropped(head.dropped);
  if (ask.stream) {
    x.progress.markContentSent(x.gateway.clock.monotonic());
    x.client.startAnswer(200, buildStreamHeaders(x));
    x.client.write(judged);
    x.client.end();
  } else x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), judged);
}

async function evaluateCachedBody(x: Exchange, text: Buffer | string): Promise<Buffer | string> {
  let judged: Buffer | string | null = null;
  applyResponsePolicies(x, text, (told) => {
    judged = told;
  });
  await awaitPendingPolicyEvaluation(x);
  if (judged === null)
    throw new Error('unreachable: policy evaluation of a cached response ended without a result');
  return judged;
}

function hasSameForm(x: Exchange, prompt: ClientRequest, head: CachedResponseMetadata): boolean {
  if (prompt.stream !== head.streamed) return false;
  return (
    !prompt.stream ||
    x.surface.dialect !== 'chat' ||
    isUsageChunkRequested(prompt.body, prompt.members) === head.showsUsage
  );
}

/** A cached response with its parsed metadata. */
interface ParsedCachedAnswer {
  readonly head: CachedResponseMetadata;
  readonly body: Buffer;
}

/**
 * Converts a cached response between stream and JSON. Returns null if Floe's readers reject the request or
 * the response, although the provider accepted the request. The request is then sent again.
 */
function convertCachedAnswer(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  kept: ParsedCachedAnswer,
): string | null {
  try {
    return rewriteCachedAnswer(x, prompt, target, kept);
  } catch (error) {
    x.gateway.log.warn(
      { err: error, request_id: x.id },
      'cached response could not be read; the request is sent to the provider',
    );
    return null;
  }
}

function rewriteCachedAnswer(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  { head, body }: ParsedCachedAnswer,
): string | null {
  const { dialect } = x.surface;
  const request = parseClientRequestBody(prompt);
  const client = CLIENT_DIALECTS[dialect];
  const canonical = prompt.canonical ?? client.readRequest(request);
  if (UNCONVERTIBLE_NEEDS.some((need) => canonical.requiredFeatures.has(need))) return null;
  const nowS = () => Math.floor(x.gateway.clock.now() / 1000);
  const context: ResponseWriteContext = {
    request: canonical,
    clientBody: request,
    id: x.id.slice(x.id.indexOf('_') + 1),
    requestId: x.id,
    createdS: nowS(),
    nowS,
    chatReasoning: x.route?.chatReasoning === 'forward' ? 'forward' : undefined,
    inputEstimate: head.usage?.units.input,
    sealOrigin: target.provider.sealOrigin(target.credential),
    ...(x.surface.ide ? createIdeResponseOptions(x) : undefined),
  };
  const events = withUsageEvent(readCachedEvents(x, target, body, head), head);
  if (prompt.stream) {
    const writer = client.createResponseWriter(context);
    const text = events.map((event) => writer.write(event)).join('');
    return writer.dropped.size > 0 ? null : text;
  }
  const fold = new ResponseAccumulator();
  for (const event of events) fold.add(event);
  const whole = client.writeCompleteResponse(fold.answer, context);
  return whole.dropped.size > 0 ? null : JSON.stringify(whole.body);
}

function readCachedEvents(
  x: Exchange,
  target: Target,
  body: Buffer,
  { streamed }: CachedResponseMetadata,
): ResponseEvent[] {
  const upstream = UPSTREAM_DIALECTS[x.surface.dialect];
  const options = { id: x.id, sealOrigin: target.provider.sealOrigin(target.credential) };
  if (!streamed)
    return [...toResponseEvents(upstream.readCompleteResponse(parseUpstreamJson(body), options))];
  const events: ResponseEvent[] = [];
  const reader = upstream.createResponseReader((event) => events.push(event), options);
  const { bytes, lead, ends } = new SseFramer().push(body);
  let from = lead;
  for (const end of ends) {
    const frame = parseSseFrame(bytes.subarray(from, end));
    if (frame) reader.read(frame);
    from = end;
  }
  reader.end();
  return events;
}

/**
 * Adds the usage to the events of a stream that was cached without a usage frame, because the other form
 * requires it.
 */
function withUsageEvent(events: ResponseEvent[], { usage }: CachedResponseMetadata): ResponseEvent[] {
  if (usage === null || events.some(({ type }) => type === 'usage')) return events;
  const finish = events.findIndex(({ type }) => type === 'finish');
  return finish === -1 ? events : events.toSpliced(finish, 0, { type: 'usage', usage });
}
