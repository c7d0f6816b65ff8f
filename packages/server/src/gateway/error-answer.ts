import { Fault } from '@floe/contract/faults';
import type { UpstreamResponse } from '../providers/transport.ts';
import { BufferedAnswer } from './answer-sinks.ts';
import { ClientDisconnectedError } from './client.ts';
import type { AnswerSink } from './plan.ts';
import { ForwardedUpstreamError, readUpstreamHeader } from './upstream-fault.ts';

/** An error body is read so far; what is longer is judged by its start. */
const MAX_ERROR_BYTES = 1024 * 1024;

/** Collects the body of an answer that is none, and throws what `judge` makes of it. */
export function createErrorAnswer(judge: (body: Buffer) => Error): AnswerSink {
  const throwing = (body: Buffer) => {
    throw judge(body);
  };
  return new BufferedAnswer(MAX_ERROR_BYTES, throwing, judge);
}

/** The fault of a success whose body is of another type than `wanted`. */
export function unexpectedContentTypeFault(
  providerId: string,
  wanted: string,
  answer: UpstreamResponse,
): Fault {
  const { status, headers, body } = answer;
  const type = readUpstreamHeader(headers, 'content-type') ?? '';
  return new Fault(
    'upstream_error',
    `${providerId} answered ${status} with "${type}" instead of ${wanted}.`,
    {
      upstreamStatus: status,
      upstreamBody: body.toString('utf8', 0, 2000),
    },
  );
}

/** What the row of a failed attempt says: a word of the error table, or what happened where no error is told. */
export function attemptErrorCode(error: Error): string {
  if (error instanceof Fault) return error.code;
  if (error instanceof ForwardedUpstreamError) return 'upstream_refused';
  return error instanceof ClientDisconnectedError ? 'client_left' : 'internal_error';
}
