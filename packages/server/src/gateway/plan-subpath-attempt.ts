import type { AttemptPlan } from './attempt-plan.ts';
import { buildForwardedQuery } from './client-query.ts';
import type { ClientRequest } from './client-request.ts';
import type { Exchange } from './exchange-record.ts';
import { buildForwardedRequest } from './forward-request.ts';
import { getForwardableHeaders } from './omitted-request-parts.ts';
import type { Target } from './org-catalog.ts';
import { createBufferedResponseSink } from './response-sinks.ts';
import { stripForeignSeals } from './strip-foreign-seals.ts';
import { parseUpstreamError } from './upstream-error.ts';

/** An operation on a prompt, at a path below that of the prompt's API. */
export interface SubpathOperation {
  /** The last segment of the path, such as `/count_tokens`. */
  readonly suffix: string;
  /** Sends the complete response of the provider to the client. */
  readonly send: (bytes: Buffer) => void;
}

/** Plans an attempt that forwards the prompt to a path below that of its API. The response is not a stream. */
export function planSubpathAttempt(
  x: Exchange,
  prompt: ClientRequest,
  target: Target,
  { suffix, send }: SubpathOperation,
): AttemptPlan {
  const { headers, omitted } = getForwardableHeaders(x, target);
  const sent = stripForeignSeals(x, prompt, target);
  const client = { headers, query: buildForwardedQuery(x) };
  const { request, dropped } = buildForwardedRequest(sent, target, x.surface, client);
  return {
    request: { ...request, path: request.path.replace(/(?=\?|$)/, suffix) },
    dropped: [...(sent.dropped ?? []), ...dropped, ...omitted],
    createSink: () => createBufferedResponseSink(x, send),
    toError: (answer) => parseUpstreamError(target.provider, answer),
  };
}
