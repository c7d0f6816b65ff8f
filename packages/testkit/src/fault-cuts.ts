import {
  answerSteps,
  bodyEndSteps,
  bodySteps,
  encodeHead,
  type FakeAnswer,
  type Framing,
  type SocketStep,
  writeStep,
} from './fake-answer.ts';
import { splitAnswerFrames } from './frame-edits.ts';
import type { FaultContext, InjectedFault } from './injected-fault.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Where and how to cut an answer. */
export interface AnswerCut {
  /** How the connection ends: closed (FIN) or reset (RST). */
  readonly by: 'fin' | 'reset';
  readonly framing: Exclude<Framing, 'close'>;
  /** Number of body bytes to send. Default without `afterFrame`: half of the body. */
  readonly afterByte?: number;
  /** Number of events to send. */
  readonly afterFrame?: number;
  /**
   * Waits at the gate before the cut, so that the client can receive the sent part first. A RST may overtake
   * it.
   */
  readonly isGated?: boolean;
}

/** Sends the head and a part of an answer, then ends the connection. */
export function cutMidAnswer(cut: AnswerCut): InjectedFault {
  const how = cut.by === 'fin' ? 'closes' : 'resets';
  return {
    name: `cut-mid-answer/${cut.by}-${cut.framing}`,
    description: `sends ${describePart(cut)} with ${cut.framing} framing, then ${how} the connection`,
    requestCount: UNLIMITED,
    planSteps: (exchange) => [
      ...partialAnswerSteps(exchange, cut),
      ...(cut.isGated ? [{ do: 'gate' } as const] : []),
      { do: cut.by },
    ],
  };
}

/** Sends the head and a part of an answer, then sends nothing until the client disconnects. */
export function stallMidAnswer(part: Pick<AnswerCut, 'afterByte' | 'afterFrame'> = {}): InjectedFault {
  return {
    name: 'stall-mid-answer',
    description: `sends ${describePart(part)}, then nothing more until the caller leaves`,
    requestCount: UNLIMITED,
    planSteps: (exchange) => [
      ...partialAnswerSteps(exchange, { ...part, framing: 'chunked' }),
      { do: 'silence' },
    ],
  };
}

/** Faults of the connection: refused, silent, slow or cut. */
export const CONNECTION_FAULTS: readonly InjectedFault[] = [
  {
    name: 'refuse-connection',
    description: 'listens on no port, so that connecting is refused',
    requestCount: UNLIMITED,
    isPortClosed: true,
    planSteps: () => [{ do: 'reset' }],
  },
  {
    name: 'reset-before-headers',
    description: 'takes the request, then resets the connection without a byte',
    requestCount: UNLIMITED,
    planSteps: () => [{ do: 'reset' }],
  },
  {
    name: 'close-before-headers',
    description: 'takes the request, then closes the connection without a byte',
    requestCount: UNLIMITED,
    planSteps: () => [{ do: 'fin' }],
  },
  {
    name: 'accept-and-silence',
    description: 'takes the request and never answers',
    requestCount: UNLIMITED,
    planSteps: () => [{ do: 'silence' }],
  },
  {
    name: 'slow-first-token',
    description: 'sends the head at once and the body when the gate is released',
    requestCount: UNLIMITED,
    planSteps: ({ answer, delivery }) => [
      writeStep(encodeHead(answer, delivery.framing)),
      { do: 'gate' },
      ...bodySteps(answer, delivery),
      ...bodyEndSteps(delivery.framing),
    ],
  },
  cutMidAnswer({ by: 'fin', framing: 'chunked' }),
  cutMidAnswer({ by: 'fin', framing: 'content-length' }),
  cutMidAnswer({ by: 'reset', framing: 'chunked' }),
  cutMidAnswer({ by: 'reset', framing: 'content-length' }),
  stallMidAnswer(),
  {
    name: 'keepalive-close-race',
    description:
      'answers one request well, then resets the kept-alive connection as the next one arrives on it',
    requestCount: 1,
    planSteps: ({ answer, delivery }) => [...answerSteps(answer, delivery), { do: 'doom' }],
  },
];

function partialAnswerSteps(
  { answer, delivery }: FaultContext,
  cut: Pick<AnswerCut, 'framing' | 'afterByte' | 'afterFrame'>,
): SocketStep[] {
  const part: FakeAnswer = { ...answer, body: answer.body.subarray(0, partialBodyLength(answer, cut)) };
  return [
    writeStep(encodeHead(answer, cut.framing)),
    ...bodySteps(part, { ...delivery, framing: cut.framing }),
  ];
}

function partialBodyLength(
  answer: FakeAnswer,
  { afterByte, afterFrame }: Pick<AnswerCut, 'afterByte' | 'afterFrame'>,
): number {
  if (afterByte !== undefined) return afterByte;
  if (afterFrame === undefined) return Math.ceil(answer.body.length / 2);
  return splitAnswerFrames(answer)
    .slice(0, afterFrame)
    .reduce((length, frame) => length + frame.length, 0);
}

function describePart({ afterByte, afterFrame }: Pick<AnswerCut, 'afterByte' | 'afterFrame'>): string {
  if (afterByte !== undefined) return `${afterByte} bytes of the body`;
  return afterFrame === undefined ? 'half of the body' : `${afterFrame} events`;
}
