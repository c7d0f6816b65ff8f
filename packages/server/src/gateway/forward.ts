import type { Ask } from './ask.ts';
import type { Target } from './catalog.ts';
import type { Exchange } from './exchange-record.ts';
import { ForwardedStream, forwardedAnswer } from './forward-answers.ts';
import { forwardRequest } from './forward-request.ts';
import type { Plan } from './plan.ts';
import { readRefusal } from './upstream-fault.ts';

/** The plan for a target that speaks the client's own dialect: bytes both ways. */
export function planForward(x: Exchange, ask: Ask, target: Target, path: string): Plan {
  const { provider, model } = target;
  const { request, usageFrameIsOurs } = forwardRequest(ask, target, path, x.client.headers);
  const settings = {
    stripReasoning: x.catalog?.chatReasoning !== 'forward',
    thinkTags: provider.hasThinkTags(model),
    usageFrameIsOurs,
  };
  return {
    request,
    dropped: [],
    answer: () => (ask.stream ? new ForwardedStream(x, settings) : forwardedAnswer(x, settings)),
    refusal: (status, headers, body) => readRefusal(provider.id, provider.sheet, status, headers, body),
  };
}
