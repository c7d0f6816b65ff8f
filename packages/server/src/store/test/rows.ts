import type { PlatformKeyRow } from '../platform-keys.ts';
import type { ExchangeRow } from '../store-interfaces.ts';

export const TEST_ORG_ID = 'org_one';

/** Returns a complete exchange row with the given `changes`. */
export function createTestExchangeRow(id: string, changes: Partial<ExchangeRow> = {}): ExchangeRow {
  return {
    id,
    org_id: TEST_ORG_ID,
    created_at: 1_700_000_000_000,
    surface: 'chat',
    route_mode: 'unified',
    key_id: 'key_one',
    key_name: 'ci',
    team: null,
    owner: null,
    end_user: null,
    model_requested: 'fast',
    provider: 'acme',
    model: 'acme-large',
    stream: 1,
    status: 200,
    state: 'complete',
    error_code: null,
    error_source: null,
    finish_reason: 'stop',
    input_tokens: 1200,
    cached_tokens: 0,
    cache_write_tokens: null,
    output_tokens: 300,
    reasoning_tokens: null,
    usage_source: 'provider',
    cost_nano_usd: 123_456,
    cost_source: 'table',
    saved_nano_usd: null,
    cache: null,
    latency_ms: 900.5,
    first_token_ms: 210.25,
    overhead_ms: 0.5,
    request_bytes: 1600,
    response_bytes: 4000,
    client: null,
    session: null,
    prompt_saved_nano_usd: null,
    metadata_json: null,
    dropped_json: null,
    attempts_json: '[{"n":1,"error":"é \\"quoted\\" \\n"}]',
    decisions_json: '[]',
    ...changes,
  };
}

export function createTestPlatformKeyRow(id: string, changes: Partial<PlatformKeyRow> = {}): PlatformKeyRow {
  return {
    id,
    org_id: TEST_ORG_ID,
    name: 'ci',
    hash: `hash of ${id}`,
    prefix: 'eis_AbCd',
    last4: 'wxyz',
    scopes_json: '["gateway"]',
    models_json: null,
    team: null,
    owner: null,
    created_at: 1_700_000_000_000,
    created_by: null,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    source: 'console',
    source_line: null,
    updated_at: 1_700_000_000_000,
    ...changes,
  };
}
