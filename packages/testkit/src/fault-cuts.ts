import {
  type Answer,
  bodySteps,
  deliver,
  endSteps,
  type Framing,
  headBytes,
  type Step,
  write,
} from './answer.ts';
import type { Exchange, UpstreamFault } from './faults.ts';
import { framesOf } from './frame-edits.ts';

const ALWAYS = Number.POSITIVE_INFINITY;

export interface Cut {
  /** How the connection ends: closed (FIN) or reset (RST). */
  readonly by: 'fin' | 'reset';
  readonly framing: Exclude<Framing, 'close'>;
  /** Bytes of the body sent first; half of it unless this or `afterFrame` is given. */
  readonly afterByte?: number;
  /** Events sent first. */
  readonly afterFrame?: number;
  /** Wait at the gate before cutting, so that the test can see the sent part arrive: a RST may overtake it. */
  readonly gated?: boolean;
}

/** Sends the head and a part of the body that its framing says goes on, then ends the connection. */
export function cutMidAnswer(cut: Cut): UpstreamFault {
  const how = cut.by === 'fin' ? 'closes' : 'resets';
  return {
    name: `cut-mid-answer/${cut.by}-${cut.framing}`,
    does: `sends ${partInWords(cut)} with ${cut.framing} framing, then ${how} the connection`,
    times: ALWAYS,
    plan: (exchange) => [
      ...firstPart(exchange, cut),
      ...(cut.gated ? [{ do: 'gate' } as const] : []),
      { do: cut.by },
    ],
  };
}

/** Sends the head and a part of the body, then nothing more until the caller leaves. */
export function stallMidAnswer(part: Pick<Cut, 'afterByte' | 'afterFrame'> = {}): UpstreamFault {
  return {
    name: 'stall-mid-answer',
    does: `sends ${partInWords(part)}, then nothing more until the caller leaves`,
    times: ALWAYS,
    plan: (exchange) => [...firstPart(exchange, { ...part, framing: 'chunked' }), { do: 'silence' }],
  };
}

/** Every fault of the connection: when it is refused, silent, slow or cut. */
export const CONNECTION_FAULTS: readonly UpstreamFault[] = [
  {
    name: 'refuse-connection',
    does: 'listens on no port, so that connecting is refused',
    times: ALWAYS,
    closedPort: true,
    plan: () => [{ do: 'reset' }],
  },
  {
    name: 'reset-before-headers',
    does: 'takes the request, then resets the connection without a byte',
    times: ALWAYS,
    plan: () => [{ do: 'reset' }],
  },
  {
    name: 'close-before-headers',
    does: 'takes the request, then closes the connection without a byte',
    times: ALWAYS,
    plan: () => [{ do: 'fin' }],
  },
  {
    name: 'accept-and-silence',
    does: 'takes the request and never answers',
    times: ALWAYS,
    plan: () => [{ do: 'silence' }],
  },
  {
    name: 'slow-first-token',
    does: 'sends the head at once and the body when the gate is released',
    times: ALWAYS,
    plan: ({ answer, delivery }) => [
      write(headBytes(answer, delivery.framing)),
      { do: 'gate' },
      ...bodySteps(answer, delivery),
      ...endSteps(delivery.framing),
    ],
  },
  cutMidAnswer({ by: 'fin', framing: 'chunked' }),
  cutMidAnswer({ by: 'fin', framing: 'content-length' }),
  cutMidAnswer({ by: 'reset', framing: 'chunked' }),
  cutMidAnswer({ by: 'reset', framing: 'content-length' }),
  stallMidAnswer(),
  {
    name: 'keepalive-close-race',
    does: 'answers one request well, then resets the kept-alive connection as the next one arrives on it',
    times: 1,
    plan: ({ answer, delivery }) => [...deliver(answer, delivery), { do: 'doom' }],
  },
];

function firstPart(
  { answer, delivery }: Exchange,
  cut: Pick<Cut, 'framing' | 'afterByte' | 'afterFrame'>,
): Step[] {
  const part: Answer = { ...answer, body: answer.body.subarray(0, partLength(answer, cut)) };
  return [write(headBytes(answer, cut.framing)), ...bodySteps(part, { ...delivery, framing: cut.framing })];
}

function partLength(
  answer: Answer,
  { afterByte, afterFrame }: Pick<Cut, 'afterByte' | 'afterFrame'>,
): number {
  if (afterByte !== undefined) return afterByte;
  if (afterFrame === undefined) return Math.ceil(answer.body.length / 2);
  return framesOf(answer)
    .slice(0, afterFrame)
    .reduce((length, frame) => length + frame.length, 0);
}

function partInWords({ afterByte, afterFrame }: Pick<Cut, 'afterByte' | 'afterFrame'>): string {
  if (afterByte !== undefined) return `${afterByte} bytes of the body`;
  return afterFrame === undefined ? 'half of the body' : `${afterFrame} events`;
}
