import { Fault } from '@floe/contract/faults';
import { isEventStream } from '@floe/wire/converse/event-stream';
import type { UpstreamHeaders } from '../providers/transport.ts';
import { CollectedAnswer } from './answer-sinks.ts';
import { BinaryAnswer } from './binary-answer.ts';
import type { Target } from './catalog.ts';
import type { Exchange } from './exchange-record.ts';
import type { AnswerSink, Plan } from './plan.ts';
import { headerOf } from './upstream-fault.ts';

/** An error body is read so far; what is longer is judged by its start. */
const REFUSAL_BYTES = 1024 * 1024;

/** What takes an upstream's answer to the client, by its head. @throws Fault `upstream_error` for an answer nobody can read */
export function chooseSink(
  x: Exchange,
  { provider }: Target,
  plan: Plan,
  { status, headers }: { readonly status: number; readonly headers: UpstreamHeaders },
): { readonly sink: AnswerSink; readonly isStream: boolean } {
  const type = headerOf(headers, 'content-type') ?? '';
  const isBinary = isEventStream(type);
  const isStream = isBinary || /^\s*text\/event-stream\b/i.test(type);
  if (plan.raw) return { sink: plan.raw(status, headers), isStream };
  if (status < 200 || status >= 300)
    return { sink: refused((body) => plan.refusal(status, headers, body)), isStream };
  const encoding = headerOf(headers, 'content-encoding');
  if (encoding !== undefined && encoding !== 'identity')
    throw new Fault(
      'upstream_error',
      `${provider.id} answered in ${encoding} although plain bytes were asked for.`,
    );
  if (/^\s*text\/html\b/i.test(type))
    return { sink: refused((body) => wrongType(x, provider.id, type, body)), isStream };
  const sink = plan.answer(isStream);
  return { sink: isBinary ? new BinaryAnswer(sink) : sink, isStream };
}

function wrongType(x: Exchange, provider: string, type: string, body: Buffer): Fault {
  const wanted = x.ask?.stream ? 'an event stream' : 'JSON';
  const message = `${provider} answered 200 with "${type}" instead of ${wanted}.`;
  return new Fault('upstream_error', message, {
    upstreamStatus: 200,
    upstreamBody: body.toString('utf8', 0, 2000),
  });
}

function refused(judge: (body: Buffer) => Error): AnswerSink {
  const throwing = (body: Buffer) => {
    throw judge(body);
  };
  return new CollectedAnswer(REFUSAL_BYTES, throwing, judge);
}
