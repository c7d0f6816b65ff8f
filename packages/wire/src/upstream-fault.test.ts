import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createErrorEventFault,
  isBetaFlagRejection,
  isSealRejection,
  type LowerCaseHeaders,
  parseUpstreamFault,
  toClientFault,
  type UpstreamFaultKind,
} from './upstream-fault.ts';

const cases: readonly [string, number, unknown, UpstreamFaultKind, LowerCaseHeaders?][] = [
  [
    'a bad key',
    401,
    { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
    'credential',
  ],
  [
    'a bad key told by 400',
    400,
    {
      error: {
        code: 400,
        message: 'API key not valid.',
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    },
    'credential',
  ],
  [
    'a bad key in a flat error',
    400,
    { code: 'invalid-argument', error: 'Incorrect API key provided: x' },
    'credential',
  ],
  [
    'a bad signature by header',
    403,
    { message: 'The security token is expired' },
    'credential',
    { 'x-amzn-errortype': 'ExpiredTokenException:http://x' },
  ],
  ['no permission', 403, { error: { message: 'not for you' } }, 'permission'],
  ['an unknown model', 404, { error: { message: 'no such model', code: 'model_not_found' } }, 'model'],
  [
    'an unknown model told by 400',
    400,
    { error: { message: 'The requested model does not exist', code: 'model_not_found' } },
    'model',
  ],
  [
    'money told by 429',
    429,
    { error: { message: 'You exceeded your quota', type: 'insufficient_quota', code: 'insufficient_quota' } },
    'quota',
  ],
  [
    'money told by 400',
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
    'quota',
  ],
  [
    'a spend limit in the details',
    429,
    {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message: 'limit',
        details: { error_code: 'enforced_spend_limit_reached' },
      },
    },
    'quota',
  ],
  ['a rate limit', 429, { error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 'rate'],
  [
    'a rate limit told by 413',
    413,
    { error: { message: 'Request too large', code: 'rate_limit_exceeded' } },
    'rate',
  ],
  [
    'overload',
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'overloaded',
  ],
  [
    'a prompt too long',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
    },
    'context',
  ],
  [
    'a throttle that speaks of tokens',
    429,
    { message: 'Too many tokens, please wait before trying again.' },
    'rate',
  ],
  ['a filtered prompt', 400, { error: { message: 'filtered', code: 'content_filter' } }, 'filter'],
  ['a validation list', 422, { detail: [{ loc: ['body'], msg: 'field required' }] }, 'invalid'],
  ['a page of HTML', 502, '<html>Bad gateway</html>', 'server'],
  ['nothing', 500, '', 'server'],
];

describe('errors of any provider', () => {
  for (const [name, status, body, kind, headers] of cases)
    test(`${name} is ${kind}`, () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const fault = parseUpstreamFault(status, headers ?? {}, text);
      assert.equal(fault.kind, kind);
      assert.notEqual(fault.message, '');
    });

  test('the delay is the larger of the two headers, or stands in the body, and is read on failures only', () => {
    const delay = (status: number, headers: LowerCaseHeaders, body = '{}') =>
      parseUpstreamFault(status, headers, body).retryAfterMs;
    assert.equal(delay(429, { 'retry-after-ms': '0', 'retry-after': '1' }), 1_000);
    assert.equal(delay(429, { 'retry-after-ms': '494' }), 494);
    assert.equal(delay(429, {}, '{"error":{"details":[{"retryDelay":"48.2s"}]}}'), 48_200);
    assert.equal(delay(200, { 'retry-after': '9' }), undefined);
  });

  test('a credential fault tells the caller nothing of the provider’s words', () => {
    const fault = toClientFault(parseUpstreamFault(401, {}, '{"error":{"message":"Incorrect key sk-abc"}}'));
    assert.equal(fault.code, 'upstream_auth_failed');
    assert.ok(!fault.message.includes('sk-abc'));
  });
});

test('an HTML page is not the message of an error', () => {
  const { message } = parseUpstreamFault(502, {}, '<html><body>Bad gateway</body></html>');
  assert.equal(message, 'The response of the provider is an HTML page.');
  const body = '{"error":{"message":"<think> is not supported"}}';
  assert.equal(parseUpstreamFault(400, {}, body).message, '<think> is not supported');
});

describe('an error with status 200', () => {
  const cases: readonly [string, unknown, string, string][] = [
    ['an error object', { error: { message: 'no', type: 't', code: null } }, 'upstream_error', 'no'],
    ['a numeric code', { error: { message: 'slow', code: 429 } }, 'upstream_rate_limited', 'slow'],
    ['a status in digits', { error: { message: 'no', code: '503' } }, 'upstream_error', 'no'],
    [
      'a status beside a word',
      { error: { message: 'no', code: 'tool_use_failed', status_code: 400 } },
      'invalid_request',
      'no',
    ],
    ['an error text', { code: 'some_word', error: 'gone' }, 'upstream_error', 'gone'],
    ['a flat error', { object: 'error', message: 'no', type: 'invalid', code: 422 }, 'invalid_request', 'no'],
    ['an error in an array', [{ error: { code: 503, message: 'busy' } }], 'upstream_error', 'busy'],
    ['an unknown model', { error: { code: 404, message: 'no model' } }, 'model_not_found', 'no model'],
    ['a detail text', { detail: 'Broken' }, 'upstream_error', 'Broken'],
    ['a detail list', { detail: [{ loc: ['body'], msg: 'required' }] }, 'upstream_error', 'required'],
    ['a status message', { base_resp: { status_code: 1008, status_msg: 'no' } }, 'upstream_error', 'no'],
    ['nothing readable', { error: {} }, 'upstream_error', 'The provider reported an error.'],
    ['plain text', 'upstream went away', 'upstream_error', 'upstream went away'],
  ];
  for (const [name, body, code, message] of cases)
    test(`is classified by the status that it contains: ${name}`, () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const fault = createErrorEventFault(text);
      assert.deepEqual([fault.code, fault.message, fault.detail.upstreamStatus], [code, message, 200]);
      assert.equal(fault.detail.upstreamBody, text);
    });

  test('names neither the account nor the credential of the provider', () => {
    for (const [code, spent] of [
      [402, true],
      [401, undefined],
    ] as const) {
      const fault = createErrorEventFault(JSON.stringify({ error: { code, message: 'account acme-1' } }));
      assert.deepEqual([fault.code, fault.detail.spent], ['upstream_auth_failed', spent]);
      assert.ok(!fault.message.includes('acme'));
    }
  });
});

test('an error about a signature or encrypted content that cannot be verified is recognized', () => {
  for (const text of [
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    '{"message":"messages.3.content.13: Invalid signature in thinking block"}',
    '{"error":{"message":"The encrypted content gAAA...c90= could not be verified.","code":null}}',
    '{"error":{"message":"x","code":"invalid_encrypted_content"}}',
    'reasoning `encrypted_content` was not issued to this caller',
    'messages.1.content.0: Invalid `encrypted_content` in `search_result` block',
    "Item with id 'rs_7' not found. Items are not persisted when `store` is set to false.",
    'Corrupted thought signature.',
    'Thought signature is not valid',
  ])
    assert.ok(isSealRejection(text), text);
  for (const text of [
    'InvalidSignatureException: the request signature does not match',
    'messages.0.content.0.signature: Field required',
    'Function call is missing a thought_signature in functionCall parts.',
    'max_tokens: not valid',
  ])
    assert.ok(!isSealRejection(text), text);
});

test('an error about an unsupported beta feature is recognized', () => {
  for (const text of [
    'The model returned the following errors: invalid beta flag',
    'Unexpected value(s) `a-1`, `b-2` for the `anthropic-beta` header. Please try again without the header.',
  ])
    assert.ok(isBetaFlagRejection(text), text);
  assert.ok(!isBetaFlagRejection('anthropic-beta: unexpected end of input'));
});
