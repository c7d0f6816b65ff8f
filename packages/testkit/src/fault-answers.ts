import { gzipSync } from 'node:zlib';
import { type Answer, deliver, headBytes, type Step, usualDelivery, write } from './answer.ts';
import { errorBody, errorFrame, FAILURES } from './fault-bodies.ts';
import type { Exchange, UpstreamFault } from './faults.ts';
import {
  framesOf,
  withFrames,
  withMalformedEvent,
  withoutDone,
  withoutFinish,
  withoutUsage,
} from './frame-edits.ts';

const ALWAYS = Number.POSITIVE_INFINITY;
const HUGE_BYTES = 40 * 2 ** 20;
const HUGE_PIECE_BYTES = 2 ** 16;

type Failure = (typeof FAILURES)[keyof typeof FAILURES];

/** A fault that answers with an error status, in the dialect of the request's path. */
function refusing(
  name: string,
  does: string,
  failure: Failure,
  headers: Record<string, string> = {},
): UpstreamFault {
  return { name, does, times: ALWAYS, plan: (exchange) => refusal(exchange, failure, headers) };
}

function refusal(
  exchange: Exchange,
  failure: Failure,
  headers: Record<string, string> = {},
): readonly Step[] {
  const body = errorBody(failure, exchange.request.path);
  return sent({ status: failure.status, headers: { 'content-type': 'application/json', ...headers }, body });
}

/** A fault that sends the healthy answer changed, delivered as the healthy one would be. */
function changing(name: string, does: string, change: (answer: Answer) => Answer): UpstreamFault {
  return {
    name,
    does,
    times: ALWAYS,
    plan: ({ answer, delivery }) => deliver(change(answer), delivery),
  };
}

/** As `changing`, in pieces of 64 KB: a piece per event would take a million writes. */
function growing(name: string, does: string, grow: (answer: Answer) => Answer): UpstreamFault {
  const at = Array.from({ length: 2 * (HUGE_BYTES / HUGE_PIECE_BYTES) }, (_, n) => n * HUGE_PIECE_BYTES);
  return {
    name,
    does,
    times: ALWAYS,
    plan: ({ answer, delivery }) => deliver(grow(answer), { ...delivery, chunking: { at } }),
  };
}

function sent(answer: Answer): readonly Step[] {
  return deliver(answer, usualDelivery(answer));
}

/** 429 with `retry-after` as an HTTP date, `afterMs` from now (whole seconds, as the format has no others). */
function rateLimitedUntil(afterMs: number): UpstreamFault {
  return {
    name: 'rate-limited/http-date',
    does: `answers 429 with retry-after as an HTTP date ${afterMs} ms ahead`,
    times: ALWAYS,
    plan: (exchange) =>
      refusal(exchange, FAILURES.rateLimited, {
        'retry-after': new Date(exchange.nowMs + afterMs).toUTCString(),
      }),
  };
}

const { rateLimited, serverError, unavailable, overloaded, contextLength, contentFilter } = FAILURES;

const REFUSALS: readonly UpstreamFault[] = [
  refusing('rate-limited', 'answers 429 without saying when to come back', rateLimited),
  refusing('rate-limited/retry-after', 'answers 429 with retry-after: 2', rateLimited, {
    'retry-after': '2',
  }),
  refusing(
    'rate-limited/retry-after-ms',
    'answers 429 with retry-after-ms: 1500 and retry-after: 1',
    rateLimited,
    {
      'retry-after': '1',
      'retry-after-ms': '1500',
    },
  ),
  rateLimitedUntil(3000),
  { ...refusing('server-error-once', 'answers 500 to one request, then is healthy', serverError), times: 1 },
  refusing('unavailable', 'answers 503 until healed', unavailable),
  refusing('overloaded-529', 'answers 529, overloaded', overloaded),
  refusing('context-length-400', 'answers 400: the prompt is longer than the context', contextLength),
  refusing('content-filter-400', 'answers 400: the prompt was filtered', contentFilter),
  refusing('bad-credentials/401', 'answers 401: the credential is wrong', FAILURES.unauthenticated),
  refusing('bad-credentials/403', 'answers 403: the credential lacks permission', FAILURES.forbidden),
  {
    name: 'bad-credentials/400-google',
    does: 'answers 400 with status INVALID_ARGUMENT and reason API_KEY_INVALID',
    times: ALWAYS,
    plan: () =>
      sentJson(400, {
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
    does: 'answers 400 with the flat body {"code","error"} that names an incorrect API key',
    times: ALWAYS,
    plan: () => sentJson(400, { code: 'invalid-argument', error: 'Incorrect API key provided: te***it.' }),
  },
];

const STREAM_DEFECTS: readonly UpstreamFault[] = [
  changing('malformed-event', 'cuts the middle event off inside its JSON and goes on', withMalformedEvent),
  changing('no-done', 'ends a Chat stream without [DONE]', withoutDone),
  changing('no-finish', 'never gives a finish reason', withoutFinish),
  changing('no-usage', 'never gives usage', withoutUsage),
  {
    name: 'error-in-stream',
    does: 'sends half of the events, then an error event, then closes the body properly',
    times: ALWAYS,
    plan({ request, answer, delivery }) {
      const all = framesOf(answer);
      const half = all.slice(0, Math.ceil(all.length / 2));
      return deliver(withFrames(answer, [...half, errorFrame(serverError, request.path)]), delivery);
    },
  },
];

const WRONG_BODIES: readonly UpstreamFault[] = [
  {
    name: 'wrong-content-type',
    does: 'answers 200 with an HTML page',
    times: ALWAYS,
    plan: () =>
      sent({
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: Buffer.from('<!doctype html><title>Sign in</title><p>Please sign in to this network.</p>\n'),
      }),
  },
  {
    name: 'error-in-200',
    does: 'answers 200 with a JSON error body, to streaming requests too',
    times: ALWAYS,
    plan: ({ request }) =>
      sent({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: errorBody(serverError, request.path),
      }),
  },
  changing(
    'truncated-json',
    'ends the body after half of its bytes, with framing that says it is whole',
    (answer) => ({
      ...answer,
      body: answer.body.subarray(0, Math.ceil(answer.body.length / 2)),
    }),
  ),
  growing('huge-answer', 'grows the answer to 40 MB: a JSON member, or repeated events', huge),
  growing('huge-answer/one-line', 'starts the body with one line of 40 MB', (answer) => ({
    ...answer,
    body: Buffer.concat([Buffer.alloc(HUGE_BYTES, 'a'), answer.body]),
  })),
];

const WRONG_HEADS: readonly UpstreamFault[] = [
  {
    name: 'header-flood',
    does: 'sends 20,000 response headers (2 MB) before a healthy body',
    times: ALWAYS,
    plan({ answer, delivery }) {
      const flood = Array.from({ length: 20_000 }, (_, n) => [`x-flood-${n}`, 'f'.repeat(90)]);
      return deliver({ ...answer, headers: { ...answer.headers, ...Object.fromEntries(flood) } }, delivery);
    },
  },
  {
    name: 'redirect',
    does: 'answers 307 to /redirected on its own origin',
    times: ALWAYS,
    plan: ({ origin }) =>
      sent({ status: 307, headers: { location: `${origin}/redirected` }, body: Buffer.alloc(0) }),
  },
  {
    name: 'gzip-anyway',
    does: 'compresses the body with gzip though nobody asked for it',
    times: ALWAYS,
    plan({ answer }) {
      const zipped = { ...answer, body: gzipSync(answer.body) };
      const head = headBytes(zipped, 'content-length').toString('latin1');
      return [write(head.replace('\r\n\r\n', '\r\ncontent-encoding: gzip\r\n\r\n')), write(zipped.body)];
    },
  },
  {
    name: 'interim-noise',
    does: 'sends 100 Continue, 102 Processing and 103 Early Hints before a healthy answer',
    times: ALWAYS,
    plan: ({ answer, delivery }) => [
      write('HTTP/1.1 100 Continue\r\n\r\n'),
      write('HTTP/1.1 102 Processing\r\n\r\n'),
      write('HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n'),
      ...deliver(answer, delivery),
    ],
  },
  {
    name: 'garbage-http',
    does: 'answers with bytes that are not HTTP, then closes',
    times: ALWAYS,
    plan: () => [write(Buffer.from('15030100020228ff00fe0a0d0a', 'hex')), { do: 'fin' }],
  },
];

/** Every fault that answers completely, but with the wrong thing. */
export const ANSWER_FAULTS: readonly UpstreamFault[] = [
  ...REFUSALS,
  ...STREAM_DEFECTS,
  ...WRONG_BODIES,
  ...WRONG_HEADS,
];

function sentJson(status: number, value: unknown): readonly Step[] {
  return sent({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  });
}

function huge(answer: Answer): Answer {
  const all = framesOf(answer);
  const repeated = all[1];
  if (repeated) {
    const times = Math.ceil(HUGE_BYTES / repeated.length);
    return withFrames(answer, [
      ...all.slice(0, 1),
      Buffer.alloc(times * repeated.length, repeated),
      ...all.slice(1),
    ]);
  }
  const body = answer.body;
  const from = body.indexOf('{') + 1;
  const padding = Buffer.concat([
    Buffer.from('"padding":"'),
    Buffer.alloc(HUGE_BYTES, 'a'),
    Buffer.from('",'),
  ]);
  return { ...answer, body: Buffer.concat([body.subarray(0, from), padding, body.subarray(from)]) };
}
