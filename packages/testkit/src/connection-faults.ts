import {
  createBodyEndSteps,
  createBodySteps,
  createResponseSteps,
  createWriteStep,
  encodeResponseHead,
  type FakeResponse,
  type Framing,
  type SocketStep,
} from './fake-response.ts';
import { splitResponseFrames } from './frame-edits.ts';
import type { FaultContext, InjectedFault } from './injected-fault.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Where and how a response is cut off. */
export interface ResponseCut {
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

/** Creates a fault that sends the head and a part of a response, and then ends the connection. */
export function createCutResponseFault(cut: ResponseCut): InjectedFault {
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

/**
 * Creates a fault that sends the head and a part of a response, and then sends nothing until the
 * client disconnects.
 */
export function createStalledResponseFault(
  part: Pick<ResponseCut, 'afterByte' | 'afterFrame'> = {},
): InjectedFault {
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

/** The faults of the connection: it is refused, silent, slow or cut off. */
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
      createWriteStep(encodeResponseHead(answer, delivery.framing)),
      { do: 'gate' },
      ...createBodySteps(answer, delivery),
      ...createBodyEndSteps(delivery.framing),
    ],
  },
  createCutResponseFault({ by: 'fin', framing: 'chunked' }),
  createCutResponseFault({ by: 'fin', framing: 'content-length' }),
  createCutResponseFault({ by: 'reset', framing: 'chunked' }),
  createCutResponseFault({ by: 'reset', framing: 'content-length' }),
  createStalledResponseFault(),
  {
    name: 'keepalive-close-race',
    description:
      'answers one request well, then resets the kept-alive connection as the next one arrives on it',
    requestCount: 1,
    planSteps: ({ answer, delivery }) => [...createResponseSteps(answer, delivery), { do: 'doom' }],
  },
];

function partialAnswerSteps(
  { answer, delivery }: FaultContext,
  cut: Pick<ResponseCut, 'framing' | 'afterByte' | 'afterFrame'>,
): SocketStep[] {
  const part: FakeResponse = { ...answer, body: answer.body.subarray(0, partialBodyLength(answer, cut)) };
  return [
    createWriteStep(encodeResponseHead(answer, cut.framing)),
    ...createBodySteps(part, { ...delivery, framing: cut.framing }),
  ];
}

function partialBodyLength(
  answer: FakeResponse,
  { afterByte, afterFrame }: Pick<ResponseCut, 'afterByte' | 'afterFrame'>,
): number {
  if (afterByte !== undefined) return afterByte;
  if (afterFrame === undefined) return Math.ceil(answer.body.length / 2);
  return splitResponseFrames(answer)
    .slice(0, afterFrame)
    .reduce((length, frame) => length + frame.length, 0);
}

function describePart({ afterByte, afterFrame }: Pick<ResponseCut, 'afterByte' | 'afterFrame'>): string {
  if (afterByte !== undefined) return `${afterByte} bytes of the body`;
  return afterFrame === undefined ? 'half of the body' : `${afterFrame} events`;
}
