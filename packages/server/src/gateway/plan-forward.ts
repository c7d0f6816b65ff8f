import type { AttemptPlan, ResponseSink } from './attempt-plan.ts';
import { buildForwardedQuery } from './client-query.ts';
import type { ClientRequest } from './client-request.ts';
import type { Exchange } from './exchange-record.ts';
import { createForwardedChatJsonSink, ForwardedChatStreamSink } from './forward-chat.ts';
import { createForwardedJsonSink, ForwardedEventStreamSink } from './forward-events.ts';
import { buildForwardedRequest } from './forward-request.ts';
import { getForwardableHeaders } from './omitted-request-parts.ts';
import type { Target } from './org-catalog.ts';
import { translateUpstreamError } from './plan-translation.ts';
import { parseUpstreamError } from './upstream-error.ts';

/**
 * Returns whether an error body has the format of the dialect. Hosts that only accept the dialect may use
 * another format.
 */
function isDialectError(body: Buffer): boolean {
  return /^\s*\{\s*"type"\s*:\s*"error"/.test(body.toString('utf8', 0, 200));
}

/**
 * Plans an attempt at a target with the client's dialect. The request and the response are forwarded without
 * translation. Apart from edits to individual members and events, their bytes are unchanged. `rewrite`
 * creates the sink for a response in the wrong form: JSON when the client requested a stream, or a stream
 * when the client requested JSON.
 */
export function planForwardedAttempt(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  rewrite: (streamed: boolean) => ResponseSink,
): AttemptPlan {
  const { provider, model } = target;
  const { headers, omitted } = getForwardableHeaders(x, target);
  const { request, dropUsageFrame, dropped } = buildForwardedRequest(prompt, target, x.surface, {
    headers,
    query: buildForwardedQuery(x),
  });
  const settings = {
    stripReasoning: x.route?.chatReasoning !== 'forward',
    thinkTags: provider.hasThinkTags(model),
    dropUsageFrame,
  };
  const previous = x.request.turn?.previousIdUnknownTo(target) ?? null;
  function answer(streamed: boolean): ResponseSink {
    if (streamed !== prompt.stream) return rewrite(streamed);
    const { dialect } = x.surface;
    if (dialect === 'chat')
      return streamed ? new ForwardedChatStreamSink(x, settings) : createForwardedChatJsonSink(x, settings);
    return streamed
      ? new ForwardedEventStreamSink(x, dialect, previous)
      : createForwardedJsonSink(x, dialect, previous);
  }
  return {
    request,
    dropped: joinLists(joinLists(prompt.dropped ?? NOTHING, dropped), omitted),
    createSink: answer,
    toError: (refused) =>
      provider.bodyShapeOf(x.surface.dialect) && !isDialectError(refused.body)
        ? translateUpstreamError(target, x.surface.dialect, prompt, refused)
        : parseUpstreamError(provider, refused),
  };
}

const NOTHING: readonly string[] = [];

/** Concatenates two lists, of which most are empty. */
function joinLists(first: readonly string[], second: readonly string[]): readonly string[] {
  if (first.length === 0) return second;
  return second.length === 0 ? first : [...first, ...second];
}
