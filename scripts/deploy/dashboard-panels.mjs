// What each dashboard shows: panels in their order, each with its queries and their legends.
// `red` is the value from which a number is red, or `{ below }` which it must reach.

import { chart, J, JP, quantile, RATE, rate, share, stat, table } from './panel-queries.mjs';

/** Calls that failed because of the provider, as in the alert FloeProviderFailing. */
const FAILED =
  '{job=~"$job", provider=~"$provider", result=~"upstream_(error|timeout|unreachable|stream_broken|auth_failed|rate_limited)|request_timeout"}';
/** Calls that the client did not end. */
const NOT_LEFT = '{job=~"$job", provider=~"$provider", result!="client_left"}';

const overview = {
  title: 'Overview',
  description: 'Traffic, errors, latency and cost of the gateway.',
  panels: [
    stat('Requests per second', 'reqps', `sum(rate(floe_exchanges_total${J}${RATE}))`),
    stat(
      'Server errors',
      'percentunit',
      `(${share('floe_exchanges_total', 'code=~"5.."')}) or vector(0)`,
      0.05,
    ),
    stat('Duration, p95', 's', quantile(0.95, 'floe_exchange_duration_seconds', 'le')),
    stat('In progress', 'short', `sum(floe_exchanges_in_flight${J})`),
    stat('Cost in 24 h', 'currencyUSD', `sum(increase(floe_cost_usd_total${J}[24h]))`),
    stat(
      'Failing monitors',
      'short',
      `sum(max by (status) (floe_monitors{job=~"$job", status="failing"})) or vector(0)`,
      1,
    ),
    chart('Requests by state', 'reqps', [[rate('floe_exchanges_total', 'state'), '{{state}}']]),
    chart('Requests by surface', 'reqps', [[rate('floe_exchanges_total', 'surface'), '{{surface}}']]),
    chart('Errors by status', 'reqps', [
      [rate('floe_exchanges_total', 'code', '{job=~"$job", code=~"[45].."}'), '{{code}}'],
    ]),
    chart('Blocked requests by reason', 'reqps', [
      [rate('floe_exchanges_blocked_total', 'reason'), '{{reason}}'],
    ]),
    chart('Duration', 's', [
      [quantile(0.5, 'floe_exchange_duration_seconds', 'le'), 'p50'],
      [quantile(0.95, 'floe_exchange_duration_seconds', 'le'), 'p95'],
      [quantile(0.99, 'floe_exchange_duration_seconds', 'le'), 'p99'],
    ]),
    chart('Time to first token', 's', [
      [quantile(0.5, 'floe_time_to_first_token_seconds', 'le'), 'p50'],
      [quantile(0.95, 'floe_time_to_first_token_seconds', 'le'), 'p95'],
      [quantile(0.99, 'floe_time_to_first_token_seconds', 'le'), 'p99'],
    ]),
    chart('Tokens per second', 'short', [[rate('floe_tokens_total', 'type'), '{{type}}']]),
    chart('Response cache', 'reqps', [[rate('floe_cache_requests_total', 'result'), '{{result}}']]),
  ],
};

const providers = {
  title: 'Providers',
  description: 'Calls to providers, failures, failover and circuit breakers.',
  provider: true,
  panels: [
    stat('Calls per second', 'reqps', `sum(rate(floe_upstream_attempts_total${JP}${RATE}))`),
    stat(
      'Failed calls',
      'percentunit',
      `(sum(rate(floe_upstream_attempts_total${FAILED}${RATE})) / sum(rate(floe_upstream_attempts_total${NOT_LEFT}${RATE}))) or vector(0)`,
      0.1,
    ),
    stat(
      'Open breakers',
      'short',
      `sum(floe_breakers_not_closed{job=~"$job", provider=~"$provider", state="open"}) or vector(0)`,
      1,
    ),
    stat('Retries per second', 'reqps', `sum(rate(floe_upstream_retries_total${JP}${RATE}))`),
    stat('Failovers per second', 'reqps', `sum(rate(floe_failovers_total${JP}${RATE}))`),
    stat('Duration, p95', 's', quantile(0.95, 'floe_exchange_duration_seconds', 'le', JP)),
    chart('Calls by provider', 'reqps', [
      [rate('floe_upstream_attempts_total', 'provider', JP), '{{provider}}'],
    ]),
    chart('Failed calls by provider and result', 'reqps', [
      [rate('floe_upstream_attempts_total', 'provider, result', FAILED), '{{provider}} {{result}}'],
    ]),
    chart('Duration by provider, p95', 's', [
      [quantile(0.95, 'floe_exchange_duration_seconds', 'le, provider', JP), '{{provider}}'],
    ]),
    chart('Time to first token by provider, p95', 's', [
      [quantile(0.95, 'floe_time_to_first_token_seconds', 'le, provider', JP), '{{provider}}'],
    ]),
    chart('Retries', 'reqps', [[rate('floe_upstream_retries_total', 'provider', JP), '{{provider}}']]),
    chart(
      'Failovers',
      'reqps',
      [[rate('floe_failovers_total', 'provider', JP), '{{provider}}']],
      'Calls to another target after a failure. The legend shows the provider that failed.',
    ),
    chart(
      'Breakers that are not closed',
      'short',
      [[`sum by (provider, state) (floe_breakers_not_closed${JP})`, '{{provider}} {{state}}']],
      'Each process has breakers of its own. The sum counts all processes.',
    ),
    chart('State changes of breakers', 'short', [
      [
        `sum by (provider, state) (increase(floe_breaker_transitions_total${JP}${RATE}))`,
        '{{provider}} {{state}}',
      ],
    ]),
    chart('Tokens per second by model', 'short', [
      [`topk(20, ${rate('floe_tokens_total', 'provider, model', JP)})`, '{{provider}}/{{model}}'],
    ]),
    chart(
      'Broken streams by provider',
      'reqps',
      [
        [
          rate('floe_exchanges_total', 'provider', '{job=~"$job", provider=~"$provider", state="partial"}'),
          '{{provider}}',
        ],
      ],
      'Streams that broke after content had reached the client.',
    ),
  ],
};

const spend = {
  title: 'Spend',
  description: 'Cost and tokens by provider, model and team.',
  panels: [
    stat('Cost in 1 h', 'currencyUSD', `sum(increase(floe_cost_usd_total${J}[1h]))`),
    stat('Cost in 24 h', 'currencyUSD', `sum(increase(floe_cost_usd_total${J}[24h]))`),
    stat('Cost in 30 d', 'currencyUSD', `sum(increase(floe_cost_usd_total${J}[30d]))`),
    stat('Tokens in 24 h', 'short', `sum(increase(floe_tokens_total${J}[24h]))`),
    stat('Cache hits', 'percentunit', share('floe_cache_requests_total', 'result="hit"')),
    stat(
      'Blocked by budgets in 24 h',
      'short',
      `sum(increase(floe_exchanges_blocked_total{job=~"$job", reason="budget"}[24h])) or vector(0)`,
    ),
    chart('Cost per hour by provider', 'currencyUSD', [
      [`3600 * ${rate('floe_cost_usd_total', 'provider')}`, '{{provider}}'],
    ]),
    chart('Cost per hour by team', 'currencyUSD', [
      [`3600 * ${rate('floe_team_cost_usd_total', 'team')}`, '{{team}}'],
    ]),
    table(
      'Cost in 24 h by model',
      'currencyUSD',
      `topk(20, sum by (provider, model) (increase(floe_cost_usd_total${J}[24h])))`,
      'The 20 models with the highest cost.',
    ),
    table(
      'Cost in 24 h by team',
      'currencyUSD',
      `topk(20, sum by (team) (increase(floe_team_cost_usd_total${J}[24h])))`,
    ),
    chart('Tokens per second by model', 'short', [
      [`topk(20, ${rate('floe_tokens_total', 'model, type')})`, '{{model}} {{type}}'],
    ]),
    chart('Tokens per second by team', 'short', [
      [rate('floe_team_tokens_total', 'team, type'), '{{team}} {{type}}'],
    ]),
    chart('Cost per hour by surface', 'currencyUSD', [
      [`3600 * ${rate('floe_cost_usd_total', 'surface')}`, '{{surface}}'],
    ]),
    chart('Blocked requests by reason', 'reqps', [
      [rate('floe_exchanges_blocked_total', 'reason'), '{{reason}}'],
    ]),
  ],
};

const monitors = {
  title: 'Monitors',
  description: 'Monitors, beats and alert messages.',
  panels: [
    stat(
      'Failing monitors',
      'short',
      `sum(max by (status) (floe_monitors{job=~"$job", status="failing"})) or vector(0)`,
      1,
    ),
    stat('Monitors', 'short', `sum(max by (status) (floe_monitors${J}))`),
    stat('Beats per second', 'short', `sum(rate(floe_beats_total${J}${RATE}))`),
    stat('Pending alert messages', 'short', `max(floe_alert_messages_pending${J})`, 50),
    stat(
      'Alert messages that failed in 24 h',
      'short',
      `sum(increase(floe_alert_delivery_attempts_total{job=~"$job", result="failed"}[24h])) or vector(0)`,
      1,
    ),
    chart('Monitors by status', 'short', [[`max by (status) (floe_monitors${J})`, '{{status}}']]),
    table('Failing monitors', 'short', `min by (org, monitor) (floe_monitor_up${J}) == 0`),
    chart('Beats', 'short', [[rate('floe_beats_total', 'kind'), '{{kind}}']]),
    chart('Overdue monitors that were evaluated', 'short', [
      [rate('floe_monitor_evaluations_total', 'result'), '{{result}}'],
    ]),
    chart('Alert messages', 'short', [
      [rate('floe_alert_delivery_attempts_total', 'channel_kind, result'), '{{channel_kind}} {{result}}'],
    ]),
    chart('Pending alert messages', 'short', [[`max(floe_alert_messages_pending${J})`, 'pending']]),
  ],
};

const floe = {
  title: 'Floe itself',
  description: 'Processes, storage, the API and the configuration.',
  panels: [
    stat('Processes', 'short', `count(floe_build_info${J})`),
    stat('Versions', 'short', `count(count by (version) (floe_build_info${J}))`, 2),
    stat('Rows in the spool', 'short', `sum(floe_spool_pending_rows${J})`, 10_000),
    stat('Event loop lag, p99', 's', `max(nodejs_eventloop_lag_p99_seconds${J})`, 0.2),
    stat('Configuration applied', 'short', `min(floe_config_last_reload_success${J})`, { below: 1 }),
    stat('Requests in progress', 'short', `sum(floe_exchanges_in_flight${J})`),
    chart('CPU', 'percentunit', [
      [`sum by (instance) (rate(process_cpu_seconds_total${J}${RATE}))`, '{{instance}}'],
    ]),
    chart('Memory', 'bytes', [
      [`sum by (instance) (process_resident_memory_bytes${J})`, '{{instance}} resident'],
      [`sum by (instance) (nodejs_heap_size_used_bytes${J})`, '{{instance}} heap'],
    ]),
    chart('Event loop lag, p99', 's', [
      [`max by (instance) (nodejs_eventloop_lag_p99_seconds${J})`, '{{instance}}'],
    ]),
    chart('Garbage collection', 'percentunit', [
      [`sum by (instance) (rate(nodejs_gc_duration_seconds_sum${J}${RATE}))`, '{{instance}}'],
    ]),
    chart('Requests in progress', 'short', [
      [`sum by (instance) (floe_exchanges_in_flight${J})`, '{{instance}}'],
    ]),
    chart('Requests in progress, share of the limit', 'percentunit', [
      [
        `sum by (instance) (floe_exchanges_in_flight${J}) / sum by (instance) (floe_exchanges_limit${J})`,
        '{{instance}}',
      ],
    ]),
    chart('Requests rejected because of overload', 'reqps', [
      [
        `sum by (instance, reason) (rate(floe_overload_rejections_total${J}${RATE}))`,
        '{{instance}} {{reason}}',
      ],
    ]),
    chart('Open files', 'short', [[`sum by (instance) (process_open_fds${J})`, '{{instance}}']]),
    chart('Rows in the spool', 'short', [
      [`sum by (instance) (floe_spool_pending_rows${J})`, '{{instance}}'],
    ]),
    chart('Shared store is in use', 'bool', [
      [`min by (instance) (floe_shared_store_up${J})`, '{{instance}}'],
    ]),
    chart('Requests without the shared store', 'reqps', [
      [`sum(rate(floe_shared_store_errors_total${J}${RATE}))`, 'timeouts'],
      [rate('floe_shared_store_local_fallback_total', 'result'), 'local {{result}}'],
    ]),
    chart(
      'Database duration by kind, p95',
      's',
      [[quantile(0.95, 'floe_database_operation_duration_seconds', 'le, kind'), '{{kind}}']],
      'The time includes the wait for a connection, for the worker thread and for other transactions.',
    ),
    chart('Database operations', 'ops', [
      [rate('floe_database_operation_duration_seconds_count', 'kind'), '{{kind}}'],
    ]),
    chart('Shared store duration by operation, p95', 's', [
      [quantile(0.95, 'floe_shared_store_operation_duration_seconds', 'le, operation'), '{{operation}}'],
    ]),
    chart('Shared store calls by result', 'ops', [
      [rate('floe_shared_store_operation_duration_seconds_count', 'result'), '{{result}}'],
    ]),
    chart('API calls by status', 'reqps', [
      [rate('floe_api_request_duration_seconds_count', 'status'), '{{status}}'],
    ]),
    chart('API duration by operation, p95', 's', [
      [`topk(10, ${quantile(0.95, 'floe_api_request_duration_seconds', 'le, operation')})`, '{{operation}}'],
    ]),
    chart('Configuration reloads', 'short', [
      [`sum by (result) (increase(floe_config_reloads_total${J}${RATE}))`, '{{result}}'],
    ]),
    table('Processes', 'short', `floe_build_info${J}`),
  ],
};

export const DASHBOARD_PANELS = { overview, providers, spend, monitors, floe };
