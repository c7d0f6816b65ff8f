import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyExchangeOutcome, type ExchangeOutcome } from './exchange-outcome.ts';
import { FAULTS, Fault, type FaultCode } from './faults.ts';

/** The outcome of an exchange with each error code. `null` for a code that only sign-in uses. */
const OUTCOMES: Readonly<Record<FaultCode, ExchangeOutcome | null>> = {
  invalid_json: 'client_error',
  invalid_request: 'client_error',
  unsupported_parameter: 'client_error',
  missing_required_parameter: 'client_error',
  reason_required: 'client_error',
  evaluation_limit_exceeded: 'client_error',
  previous_response_not_found: 'client_error',
  missing_api_key: 'client_error',
  invalid_api_key: 'client_error',
  key_expired: 'client_error',
  key_revoked: 'client_error',
  session_expired: 'client_error',
  sign_in_failed: 'client_error',
  budget_exceeded: 'blocked',
  insufficient_scope: 'client_error',
  insufficient_role: 'client_error',
  step_up_required: 'client_error',
  model_not_allowed: 'blocked',
  policy_denied: 'blocked',
  cross_site_request: 'client_error',
  price_unknown: 'blocked',
  model_not_found: 'client_error',
  not_found: 'client_error',
  monitor_not_found: 'client_error',
  method_not_allowed: 'client_error',
  request_timeout: 'client_error',
  conflict: 'client_error',
  managed_by_file: 'client_error',
  link_expired: 'client_error',
  precondition_failed: 'client_error',
  request_too_large: 'client_error',
  unsupported_media_type: 'client_error',
  websocket_unsupported: 'client_error',
  rate_limit_exceeded: 'blocked',
  budget_reserved: 'blocked',
  too_many_attempts: null,
  upstream_rate_limited: 'upstream_error',
  headers_too_large: 'client_error',
  internal_error: 'gateway_error',
  upstream_error: 'upstream_error',
  upstream_unreachable: 'upstream_error',
  upstream_stream_broken: 'upstream_error',
  upstream_auth_failed: 'upstream_error',
  unsupported_response: 'upstream_error',
  no_healthy_target: 'upstream_error',
  overloaded: 'gateway_error',
  auth_unavailable: 'gateway_error',
  shutting_down: 'gateway_error',
  upstream_timeout: 'upstream_error',
};

test('an error has the outcome of whoever caused it', () => {
  for (const code of Object.keys(FAULTS).filter((name): name is FaultCode => name in FAULTS)) {
    const fault = new Fault(code, 'x');
    const state = fault.isBlock ? 'blocked' : 'failed';
    const { status } = fault;
    if (OUTCOMES[code] === null) continue;
    assert.equal(classifyExchangeOutcome({ state, status, error_code: code }), OUTCOMES[code], code);
  }
});

test('an error of a provider that an IDE receives with status 400 is not an error of the client', () => {
  for (const error_code of ['upstream_rate_limited', 'upstream_timeout', 'no_healthy_target'])
    assert.equal(classifyExchangeOutcome({ state: 'failed', status: 400, error_code }), 'upstream_error');
});

test('a response of a provider that Floe forwards has the outcome of its status', () => {
  const failed = { state: 'failed', error_code: 'upstream_error' };
  assert.equal(classifyExchangeOutcome({ ...failed, status: 404 }), 'client_error');
  for (const status of [429, 500, 529])
    assert.equal(classifyExchangeOutcome({ ...failed, status }), 'upstream_error');
});

test('a state or a code that this version does not know is classified by its status', () => {
  for (const state of ['failed', 'some_new_state'])
    for (const error_code of [null, 'some_new_code']) {
      assert.equal(classifyExchangeOutcome({ state, status: 400, error_code }), 'client_error');
      assert.equal(classifyExchangeOutcome({ state, status: 503, error_code }), 'upstream_error');
    }
});
