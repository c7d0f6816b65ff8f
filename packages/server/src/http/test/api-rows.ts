import type { KeyObject } from 'node:crypto';
import { createId } from '../../core/ids.ts';
import { createPlatformKeyHint } from '../../platform/key-format.ts';
import { hashPlatformKey } from '../../platform/keyring.ts';
import type { PlatformKeyRow } from '../../store/platform-keys.ts';
import type { ExchangeRow } from '../../store/store-interfaces.ts';

/** Returns the stored row of a key. */
export function createKeyRow(orgId: string, key: string, now: number, pepper: KeyObject): PlatformKeyRow {
  const id = createId('key', now);
  return {
    id,
    org_id: orgId,
    name: `test ${id}`,
    hash: hashPlatformKey(pepper, key),
    ...createPlatformKeyHint(key),
    scopes_json: '[]',
    models_json: null,
    team: null,
    owner: null,
    created_at: now,
    created_by: 'setup',
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    source: 'console',
    source_line: null,
    updated_at: now,
  };
}

const ATTEMPT = {
  n: 1,
  provider: 'openai',
  model: 'gpt-5',
  credential: 'default',
  started_at: '2026-11-21T11:00:00.000Z',
  status: 200,
  error: null,
  first_token_ms: null,
  duration_ms: 100,
};

/** Returns the stored row of an exchange, without its id. */
export function createApiExchangeRow(orgId: string, now: number): Omit<ExchangeRow, 'id'> {
  return {
    org_id: orgId,
    created_at: now,
    surface: 'chat',
    route_mode: 'unified',
    key_id: 'key_1',
    key_name: 'ci',
    team: null,
    owner: null,
    end_user: null,
    model_requested: 'openai/gpt-5',
    provider: 'openai',
    model: 'gpt-5',
    stream: 0,
    status: 200,
    state: 'complete',
    error_code: null,
    error_source: null,
    finish_reason: 'stop',
    input_tokens: 10,
    cached_tokens: 0,
    cache_write_tokens: null,
    output_tokens: 5,
    reasoning_tokens: null,
    usage_source: 'provider',
    cost_nano_usd: 12_500_000,
    cost_source: 'catalog',
    saved_nano_usd: null,
    cache: null,
    latency_ms: 812.5,
    first_token_ms: 300.25,
    overhead_ms: 0.5,
    request_bytes: 100,
    response_bytes: 200,
    client: null,
    session: null,
    prompt_saved_nano_usd: null,
    metadata_json: null,
    dropped_json: null,
    attempts_json: JSON.stringify([ATTEMPT]),
    decisions_json: '[]',
  };
}
