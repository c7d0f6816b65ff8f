import { gzipSync } from 'node:zlib';
import {
  createResponseSteps,
  createWriteStep,
  encodeResponseHead,
  type FakeResponse,
  getDefaultDelivery,
  type SocketStep,
} from './fake-response.ts';
import { encodeProviderErrorBody, encodeProviderErrorEvent, PROVIDER_FAILURES } from './fault-bodies.ts';
import {
  removeDoneEvent,
  removeFinishReasons,
  removeUsage,
  replaceFrames,
  splitResponseFrames,
  truncateMiddleEvent,
} from './frame-edits.ts';
import type { FaultContext, InjectedFault } from './injected-fault.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;
const HUGE_BYTES = 40 * 2 ** 20;
const HUGE_PIECE_BYTES = 2 ** 16;

type AnswerChange = (answer: FakeResponse) => FakeResponse;
type ProviderFailureValue = (typeof PROVIDER_FAILURES)[keyof typeof PROVIDER_FAILURES];

/** Creates a fault with an error status in the dialect of the request path. */
function errorStatusFault(
  name: string,
  does: string,
  failure: ProviderFailureValue,
  headers: Record<string, string> = {},
): InjectedFault {
  return {
    name,
    description: does,
    requestCount: UNLIMITED,
    planSteps: (exchange) => errorSteps(exchange, failure, headers),
  };
}

function errorSteps(
  exchange: FaultContext,
  failure: ProviderFailureValue,
  headers: Record<string, string> = {},
): readonly SocketStep[] {
  const body = encodeProviderErrorBody(failure, exchange.request.path);
  return defaultAnswerSteps({
    status: failure.status,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

/** Creates a fault that changes the healthy answer and keeps its delivery. */
function changedAnswerFault(name: string, does: string, change: AnswerChange): InjectedFault {
  return {
    name,
    description: does,
    requestCount: UNLIMITED,
    planSteps: ({ answer, delivery }) => createResponseSteps(change(answer), delivery),
  };
}

/** Like `changedAnswerFault`, in chunks of 64 KB, because one chunk per event would need a million writes. */
function hugeAnswerFault(name: string, does: string, grow: AnswerChange): InjectedFault {
  const at = Array.from({ length: 2 * (HUGE_BYTES / HUGE_PIECE_BYTES) }, (_, n) => n * HUGE_PIECE_BYTES);
  return {
    name,
    description: does,
    requestCount: UNLIMITED,
    planSteps: ({ answer, delivery }) => createResponseSteps(grow(answer), { ...delivery, chunking: { at } }),
  };
}

function defaultAnswerSteps(answer: FakeResponse): readonly SocketStep[] {
  return createResponseSteps(answer, getDefaultDelivery(answer));
}

/** 429 with `retry-after` as an HTTP date that is `afterMs` from now. The format has whole seconds. */
function httpDateRateLimitFault(afterMs: number): InjectedFault {
  return {
    name: 'rate-limited/http-date',
    description: `answers 429 with retry-after as an HTTP date ${afterMs} ms ahead`,
    requestCount: UNLIMITED,
    planSteps: (exchange) =>
      errorSteps(exchange, PROVIDER_FAILURES.rateLimited, {
        'retry-after': new Date(exchange.nowMs + afterMs).toUTCString(),
      }),
  };
}

const { rateLimited, serverError, unavailable, overloaded, contextLength, contentFilter } = PROVIDER_FAILURES;

const ERROR_STATUS_FAULTS: readonly InjectedFault[] = [
  errorStatusFault('rate-limited', 'answers 429 without saying when to come back', rateLimited),
  errorStatusFault('rate-limited/retry-after', 'answers 429 with retry-after: 2', rateLimited, {
    'retry-after': '2',
  }),
  errorStatusFault(
    'rate-limited/retry-after-ms',
    'answers 429 with retry-after-ms: 1500 and retry-after: 1',
    rateLimited,
    { 'retry-after': '1', 'retry-after-ms': '1500' },
  ),
  httpDateRateLimitFault(3000),
  {
    ...errorStatusFault('server-error-once', 'answers 500 to one request, then is healthy', serverError),
    requestCount: 1,
  },
  errorStatusFault('unavailable', 'answers 503 until healed', unavailable),
  errorStatusFault('overloaded-529', 'answers 529, overloaded', overloaded),
  errorStatusFault('context-length-400', 'answers 400: the prompt is longer than the context', contextLength),
  errorStatusFault('content-filter-400', 'answers 400: the prompt was filtered', contentFilter),
  errorStatusFault(
    'bad-credentials/401',
    'answers 401: the credential is wrong',
    PROVIDER_FAILURES.unauthenticated,
  ),
  errorStatusFault(
    'bad-credentials/403',
    'answers 403: the credential lacks permission',
    PROVIDER_FAILURES.forbidden,
  ),
  {
    name: 'bad-credentials/400-google',
    description: 'answers 400 with status INVALID_ARGUMENT and reason API_KEY_INVALID',
    requestCount: UNLIMITED,
    planSteps: () =>
      jsonAnswerSteps(400, {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
          details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
        },
      }),
  },
  {
    name: 'bad-credentials/400-flat',
    description: 'answers 400 with the flat body {"code","error"} that names an incorrect API key',
    requestCount: UNLIMITED,
    planSteps: () =>
      jsonAnswerSteps(400, { code: 'invalid-argument', error: 'Incorrect API key provided: te***it.' }),
  },
];

const STREAM_FAULTS: readonly InjectedFault[] = [
  changedAnswerFault(
    'malformed-event',
    'cuts the middle event off inside its JSON and goes on',
    truncateMiddleEvent,
  ),
  changedAnswerFault('no-done', 'ends a Chat stream without [DONE]', removeDoneEvent),
  changedAnswerFault('no-finish', 'never gives a finish reason', removeFinishReasons),
  changedAnswerFault('no-usage', 'never gives usage', removeUsage),
  {
    name: 'error-in-stream',
    description: 'sends half of the events, then an error event, then closes the body properly',
    requestCount: UNLIMITED,
    planSteps({ request, answer, delivery }) {
      const all = splitResponseFrames(answer);
      const half = all.slice(0, Math.ceil(all.length / 2));
      return createResponseSteps(
        replaceFrames(answer, [...half, encodeProviderErrorEvent(serverError, request.path)]),
        delivery,
      );
    },
  },
];

const BODY_FAULTS: readonly InjectedFault[] = [
  {
    name: 'wrong-content-type',
    description: 'answers 200 with an HTML page',
    requestCount: UNLIMITED,
    planSteps: () =>
      defaultAnswerSteps({
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: Buffer.from('<!doctype html><title>Sign in</title><p>Please sign in to this network.</p>\n'),
      }),
  },
  {
    name: 'error-in-200',
    description: 'answers 200 with a JSON error body, to streaming requests too',
    requestCount: UNLIMITED,
    planSteps: ({ request }) =>
      defaultAnswerSteps({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: encodeProviderErrorBody(serverError, request.path),
      }),
  },
  changedAnswerFault(
    'truncated-json',
    'ends the body after half of its bytes, with framing that says it is whole',
    (answer) => ({ ...answer, body: answer.body.subarray(0, Math.ceil(answer.body.length / 2)) }),
  ),
  hugeAnswerFault(
    'huge-answer',
    'grows the answer to 40 MB: a JSON member, or repeated events',
    enlargeAnswer,
  ),
  hugeAnswerFault('huge-answer/one-line', 'starts the body with one line of 40 MB', (answer) => ({
    ...answer,
    body: Buffer.concat([Buffer.alloc(HUGE_BYTES, 'a'), answer.body]),
  })),
];

const HEAD_FAULTS: readonly InjectedFault[] = [
  {
    name: 'header-flood',
    description: 'sends 20,000 response headers (2 MB) before a healthy body',
    requestCount: UNLIMITED,
    planSteps({ answer, delivery }) {
      const flood = Array.from({ length: 20_000 }, (_, n) => [`x-flood-${n}`, 'f'.repeat(90)]);
      return createResponseSteps(
        { ...answer, headers: { ...answer.headers, ...Object.fromEntries(flood) } },
        delivery,
      );
    },
  },
  {
    name: 'redirect',
    description: 'answers 307 to /redirected on its own origin',
    requestCount: UNLIMITED,
    planSteps: ({ origin }) =>
      defaultAnswerSteps({
        status: 307,
        headers: { location: `${origin}/redirected` },
        body: Buffer.alloc(0),
      }),
  },
  {
    name: 'gzip-anyway',
    description: 'compresses the body with gzip though nobody asked for it',
    requestCount: UNLIMITED,
    planSteps({ answer }) {
      const zipped = { ...answer, body: gzipSync(answer.body) };
      const head = encodeResponseHead(zipped, 'content-length').toString('latin1');
      return [
        createWriteStep(head.replace('\r\n\r\n', '\r\ncontent-encoding: gzip\r\n\r\n')),
        createWriteStep(zipped.body),
      ];
    },
  },
  {
    name: 'interim-noise',
    description: 'sends 100 Continue, 102 Processing and 103 Early Hints before a healthy answer',
    requestCount: UNLIMITED,
    planSteps: ({ answer, delivery }) => [
      createWriteStep('HTTP/1.1 100 Continue\r\n\r\n'),
      createWriteStep('HTTP/1.1 102 Processing\r\n\r\n'),
      createWriteStep('HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n'),
      ...createResponseSteps(answer, delivery),
    ],
  },
  {
    name: 'garbage-http',
    description: 'answers with bytes that are not HTTP, then closes',
    requestCount: UNLIMITED,
    planSteps: () => [createWriteStep(Buffer.from('15030100020228ff00fe0a0d0a', 'hex')), { do: 'fin' }],
  },
];

/** The faults whose response is complete but wrong. */
export const RESPONSE_FAULTS: readonly InjectedFault[] = [
  ...ERROR_STATUS_FAULTS,
  ...STREAM_FAULTS,
  ...BODY_FAULTS,
  ...HEAD_FAULTS,
];

function jsonAnswerSteps(status: number, value: unknown): readonly SocketStep[] {
  return defaultAnswerSteps({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  });
}

function enlargeAnswer(answer: FakeResponse): FakeResponse {
  const all = splitResponseFrames(answer);
  const repeated = all[1];
  if (repeated) {
    const times = Math.ceil(HUGE_BYTES / repeated.length);
    return replaceFrames(answer, [
      ...all.slice(0, 1),
      Buffer.alloc(times * repeated.length, repeated),
      ...all.slice(1),
    ]);
  }
  const body = answer.body;
  const from = body.indexOf('{') + 1;
  const padding = Buffer.from(`"padding":"${'a'.repeat(HUGE_BYTES)}",`);
  return { ...answer, body: Buffer.concat([body.subarray(0, from), padding, body.subarray(from)]) };
}
