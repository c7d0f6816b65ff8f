import { estimateTokens } from '@floe/wire/token-estimate';
import { answerHeaders } from './answer-headers.ts';
import { wholeAnswer } from './answer-sinks.ts';
import { type Ask, parseBody } from './ask.ts';
import type { Target } from './catalog.ts';
import { COMPLETE, type Exchange, type Outcome } from './exchange-record.ts';
import { forwardRequest } from './forward-request.ts';
import { readPrompt } from './generation.ts';
import type { Operation, Prompt } from './operation.ts';
import type { Plan } from './plan.ts';
import { send } from './send.ts';
import { COUNT_TOKENS } from './surface.ts';
import { readRefusal, UpstreamRefusal } from './upstream-fault.ts';

/** What hosts of the Messages dialect say that have no such path. */
const NO_SUCH_PATH: ReadonlySet<number> = new Set([404, 405, 501]);

export const TOKEN_COUNT: Operation = {
  surface: COUNT_TOKENS,
  async parse(x) {
    const prompt = await readPrompt(x);
    return { course: prompt.course, send: () => countTokens(x, prompt) };
  },
};

/**
 * `count_tokens` of the Messages API for whatever model was asked for. A provider of that dialect counts itself;
 * for any other the answer is an estimate, and the header `x-floe-usage-source: estimated` says so.
 */
async function countTokens(x: Exchange, { ask, course }: Prompt): Promise<Outcome> {
  const counting = course.targets.filter(mayCount);
  const [first] = course.targets;
  if (!first || !counting.includes(first)) {
    estimate(x, ask);
    return COMPLETE;
  }
  try {
    await send(x, { ...course, targets: counting }, (target) => planCount(x, ask, target));
  } catch (error) {
    const lacksIt = error instanceof UpstreamRefusal && NO_SUCH_PATH.has(error.status);
    if (!lacksIt || first.provider.sheet.countsTokens) throw error;
    estimate(x, ask);
  }
  return COMPLETE;
}

/** A host that only carries Messages bodies counts elsewhere, if at all. */
function mayCount({ provider, model }: Target): boolean {
  return provider.speaks('messages', model) && provider.shapeOf('messages') === undefined;
}

function planCount(x: Exchange, ask: Ask, target: Target): Plan {
  const { request } = forwardRequest(ask, target, x.surface, x.client.headers);
  const [path = '', query] = request.path.split('?');
  const countPath = `${path}/count_tokens`;
  const tell = (bytes: Buffer) => x.client.answer(200, answerHeaders(x, 'application/json'), bytes);
  return {
    request: { ...request, path: query === undefined ? countPath : `${countPath}?${query}` },
    dropped: [],
    answer: () => wholeAnswer(tell),
    refusal: (answer) => readRefusal(target.provider, answer),
  };
}

function estimate(x: Exchange, ask: Ask): void {
  const { system, messages, tools } = parseBody(ask);
  const body = JSON.stringify({ input_tokens: estimateTokens(system, messages, tools) });
  x.client.answer(200, [...answerHeaders(x, 'application/json'), 'x-floe-usage-source', 'estimated'], body);
}
