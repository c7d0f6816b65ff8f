import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCoverageRowId, getCoverageDisplay } from './coverage-status.ts';

const ROW = {
  owner: 'ana',
  key: 'laptops',
  agent: 'codex',
  sessions: 4,
  covered_sessions: 0,
  covered_ratio: 0,
  model_requests: 1204,
  relay_calls: 0,
  requests_without_session: 0,
  agent_version: null,
  client_version: null,
  last_model_request_at: null,
  last_relay_call_at: null,
};

test('who never asks stands out, who always does is quiet', () => {
  assert.equal(getCoverageDisplay(ROW).state, 'warning');
  assert.equal(getCoverageDisplay({ ...ROW, covered_ratio: 0.5 }).state, 'partial');
  assert.equal(getCoverageDisplay({ ...ROW, covered_ratio: 1 }).state, null);
});

test('what nobody can tell is unknown, not covered', () => {
  assert.equal(getCoverageDisplay({ ...ROW, covered_ratio: null }).state, 'unknown');
  assert.equal(getCoverageDisplay({ ...ROW, covered_ratio: null, model_requests: 0 }).state, null);
});

test('a row keeps its id when its owner uses another key', () => {
  const id = buildCoverageRowId(ROW);
  assert.equal(buildCoverageRowId({ ...ROW, key: 'ci' }), id);
  assert.notEqual(buildCoverageRowId({ ...ROW, owner: 'ben' }), id);
  const keys = ['laptops', 'ci'].map((key) => buildCoverageRowId({ ...ROW, owner: null, key }));
  assert.notEqual(keys[0], keys[1]);
});
