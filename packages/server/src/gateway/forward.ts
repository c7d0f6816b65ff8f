import type { Ask } from './ask.ts';
import type { Target } from './catalog.ts';
import type { Exchange } from './exchange-record.ts';
import { ForwardedStream, forwardedAnswer } from './forward-chat.ts';
import { ForwardedEvents, forwardedBody } from './forward-events.ts';
import { forwardRequest } from './forward-request.ts';
import type { AnswerSink, Plan } from './plan.ts';
import { readTranslatedRefusal } from './translate.ts';
import { readRefusal } from './upstream-fault.ts';

/** Hosts that only carry the dialect answer errors of their own in their own words. */
function isOwnError(body: Buffer): boolean {
  return /^\s*\{\s*"type"\s*:\s*"error"/.test(body.toString('utf8', 0, 200));
}

/**
 * The plan for a target that speaks the client's own dialect: bytes both ways. `rewrite` takes an answer
 * that came in the form nobody asked for (JSON for a stream, a stream for JSON).
 */
export function planForward(
  x: Exchange,
  ask: Ask,
  target: Target,
  rewrite: (streamed: boolean) => AnswerSink,
): Plan {
  const { provider, model } = target;
  const { request, usageFrameIsOurs, dropped } = forwardRequest(ask, target, x.surface, x.client.headers);
  const settings = {
    stripReasoning: x.course?.chatReasoning !== 'forward',
    thinkTags: provider.hasThinkTags(model),
    usageFrameIsOurs,
  };
  const previous = x.request.turn?.unknownTo(target) ?? null;
  function answer(streamed: boolean): AnswerSink {
    if (streamed !== ask.stream) return rewrite(streamed);
    const { dialect } = x.surface;
    if (dialect === 'chat') return streamed ? new ForwardedStream(x, settings) : forwardedAnswer(x, settings);
    return streamed ? new ForwardedEvents(x, dialect, previous) : forwardedBody(x, dialect, previous);
  }
  return {
    request,
    dropped: ask.lost ? [...ask.lost, ...dropped] : dropped,
    answer,
    refusal: (refused) =>
      provider.shapeOf(x.surface.dialect) && !isOwnError(refused.body)
        ? readTranslatedRefusal(target, x.surface.dialect, ask, refused)
        : readRefusal(provider, refused),
  };
}
