// Synthetic exchanges for bench/rows.mjs: 30 days, busy by day, a few values of everything frequent and some rare.
const DAY_MS = 86_400_000;
/** Number of days that the rows of `spoolText` cover. */
export const SPOOL_DAYS = 30;
const KEYS = 60;

/** Deterministic numbers in [0, 1), so that both engines hold the same rows (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const MODELS = Array.from({ length: 20 }, (_, n) => ({ provider: `provider-${n % 6}`, model: `model-${n}` }));

/** Index of one of `count` values, the first much more often than the last. */
function skewed(share, count) {
  return Math.floor(count * share * share);
}

/** JSON lines of rows `from` to `to` of `total`, as the spool holds them, oldest first. */
export function spoolText(from, to, total, endMs) {
  const next = random(from + 1);
  const lines = [];
  for (let n = from; n < to; n++) lines.push(JSON.stringify(exchange(n, total, endMs, next)));
  return `${lines.join('\n')}\n`;
}

function exchange(n, total, endMs, next) {
  const rare = n % 50_000 === 7;
  const { provider, model } = rare
    ? { provider: 'provider-rare', model: 'model-rare' }
    : MODELS[skewed(next(), 20)];
  const key = rare ? 'rare' : String(skewed(next(), KEYS));
  const status = rare ? 418 : statusOf(next());
  const state = rare ? 'aborted' : status < 400 ? 'complete' : 'failed';
  const createdAt = endMs - Math.floor(((total - n) / total) * SPOOL_DAYS * DAY_MS);
  const latency = Math.round(200 * Math.exp(next() * 4));
  return {
    id: `exc_${createdAt.toString(32).padStart(10, '0')}${String(n).padStart(16, '0')}`,
    org_id: 'acme',
    created_at: createdAt,
    surface: n % 5 === 0 ? 'messages' : 'chat',
    route_mode: rare ? 'ide' : n % 5 === 0 ? 'passthrough-b' : 'unified',
    key_id: `key_${key}`,
    key_name: `name ${key}`,
    team: `team-${key.length}`,
    owner: null,
    end_user: `user-${Math.floor(next() * 500)}@example.com`,
    model_requested: `${provider}/${model}`,
    provider,
    model,
    stream: n % 2,
    status,
    state,
    error_code: status < 400 ? null : 'upstream_error',
    error_source: status < 400 ? null : 'upstream',
    finish_reason: status < 400 ? 'stop' : null,
    input_tokens: 500 + Math.floor(next() * 4000),
    cached_tokens: 200,
    cache_write_tokens: null,
    output_tokens: Math.floor(next() * 800),
    reasoning_tokens: null,
    usage_source: 'provider',
    cost_nano_usd: Math.floor(next() * 40_000_000),
    cost_source: 'catalog',
    saved_nano_usd: null,
    cache: null,
    latency_ms: latency,
    first_token_ms: n % 2 ? latency / 4 : null,
    overhead_ms: 0.31,
    request_bytes: 1600,
    response_bytes: 4000,
    client: null,
    session: null,
    prompt_saved_nano_usd: null,
    metadata_json: JSON.stringify({
      project: `project-${rare ? 'rare' : skewed(next(), 40)}`,
      build: String(n % 997),
    }),
    dropped_json: null,
    attempts_json: `[{"n":1,"provider":"${provider}","model":"${model}","credential":"default","started_at":"2026-11-21T12:00:00.001Z","status":${status},"error":null,"first_token_ms":${latency / 4},"duration_ms":${latency}}]`,
    decisions_json: `[{"step":"route","outcome":"${provider}/${model}","reason":"the id names it"}]`,
  };
}

function statusOf(share) {
  if (share < 0.95) return 200;
  if (share < 0.97) return 429;
  if (share < 0.985) return 500;
  return share < 0.99 ? 503 : 400;
}

/** The keys of the requests. */
export function platformKeys(at) {
  return [...Array.from({ length: KEYS }, (_, n) => String(n)), 'rare'].map((key) => platformKey(key, at));
}

function platformKey(key, at) {
  const unknown = { models_json: null, team: null, owner: null, created_by: null, expires_at: null };
  return {
    ...unknown,
    id: `key_${key}`,
    org_id: 'acme',
    name: `name ${key}`,
    hash: `none ${key}`,
    prefix: 'eis_none',
    last4: 'none',
    scopes_json: '[]',
    created_at: at,
    revoked_at: null,
    last_used_at: null,
    source: 'console',
    source_line: null,
    updated_at: at,
  };
}
