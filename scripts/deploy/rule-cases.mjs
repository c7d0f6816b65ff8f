// For each alert, series in which exactly this alert fires, in the notation of `promtool test rules` with one value per
// minute. `up` of one healthy process is added unless a case has its own.
const perMinute = (count, minutes = 40) => `0+${count}x${minutes}`;
const constant = (value, minutes = 40) => `${value}x${minutes}`;

export const RULE_CASES = {
  FloeDown: { series: { 'up{job="floe", instance="a"}': constant(0) } },
  FloeAbsent: { series: { 'up{job="other"}': constant(1) } },
  FloeRestarts: {
    series: { 'process_start_time_seconds{job="floe"}': '1x10 2x5 3x5 4x20' },
  },
  FloeOverloaded: {
    series: { 'floe_overload_rejections_total{instance="a", reason="event_loop_delay"}': perMinute(5) },
  },
  FloeVersionsDiffer: {
    series: {
      'floe_build_info{version="1.0.0"}': constant(1, 90),
      'floe_build_info{version="1.1.0"}': constant(1, 90),
    },
    at: '90m',
  },
  FloeEventLoopLagHigh: { series: { 'nodejs_eventloop_lag_p99_seconds{job="floe"}': constant(0.4) } },
  FloeErrorRateHigh: {
    series: {
      'floe_exchanges_total{state="complete", code="200"}': perMinute(90),
      'floe_exchanges_total{state="failed", code="502"}': perMinute(10),
    },
  },
  FloeStreamsBroken: {
    series: {
      'floe_exchanges_total{state="complete", code="200", provider="openai"}': perMinute(90),
      'floe_exchanges_total{state="partial", code="200", provider="openai"}': perMinute(10),
    },
  },
  FloeFirstTokenSlow: {
    series: {
      'floe_time_to_first_token_seconds_bucket{provider="openai", le="10"}': perMinute(0),
      'floe_time_to_first_token_seconds_bucket{provider="openai", le="30"}': perMinute(60),
      'floe_time_to_first_token_seconds_bucket{provider="openai", le="+Inf"}': perMinute(60),
    },
  },
  FloeBlockedRequestsHigh: {
    series: {
      'floe_exchanges_total{state="complete", code="200"}': perMinute(60),
      'floe_exchanges_total{state="blocked", code="429"}': perMinute(40),
      'floe_exchanges_blocked_total{reason="limit"}': perMinute(40),
    },
  },
  FloeProviderFailing: {
    series: {
      'floe_upstream_attempts_total{provider="openai", result="success"}': perMinute(60),
      'floe_upstream_attempts_total{provider="openai", result="upstream_error"}': perMinute(40),
    },
  },
  FloeBreakerOpen: { series: { 'floe_breakers_not_closed{provider="openai", state="open"}': constant(1) } },
  FloeFailoverRateHigh: {
    series: {
      'floe_upstream_attempts_total{provider="openai", result="success"}': perMinute(80),
      'floe_failovers_total{provider="openai"}': perMinute(10),
    },
  },
  // A week of 1.20 dollars an hour, then 72.
  FloeSpendHigh: {
    series: {
      floe_build_info: '1x2100',
      'floe_cost_usd_total{provider="openai"}': '0+0.1x2016 207+6x60',
      'up{job="floe"}': '1x2100',
    },
    interval: '5m',
    at: '10260m',
  },
  FloeSpoolGrows: { series: { floe_spool_pending_rows: constant(20_000) } },
  FloeDatabaseSlow: {
    series: {
      'floe_database_operation_duration_seconds_bucket{kind="transaction", le="2.5"}': perMinute(0),
      'floe_database_operation_duration_seconds_bucket{kind="transaction", le="5"}': perMinute(60),
      'floe_database_operation_duration_seconds_bucket{kind="transaction", le="+Inf"}': perMinute(60),
    },
  },
  FloeSharedStoreDown: { series: { floe_shared_store_up: constant(0) } },
  FloeSharedStoreSlow: { series: { floe_shared_store_errors_total: perMinute(60) } },
  FloeApiErrors: {
    series: {
      'floe_api_request_duration_seconds_count{status="2xx"}': perMinute(90),
      'floe_api_request_duration_seconds_count{status="5xx"}': perMinute(10),
    },
  },
  FloeApiSlow: {
    series: {
      'floe_api_request_duration_seconds_bucket{le="2.5"}': perMinute(0),
      'floe_api_request_duration_seconds_bucket{le="5"}': perMinute(60),
      'floe_api_request_duration_seconds_bucket{le="+Inf"}': perMinute(60),
    },
  },
  FloeConfigRejected: { series: { floe_config_last_reload_success: constant(0) } },
  FloeMonitorFailing: { series: { 'floe_monitor_up{org="acme", monitor="backup"}': constant(0) } },
  // The series does not exist before the first failure.
  FloeAlertMessagesFailed: {
    series: { 'floe_alert_delivery_attempts_total{channel_kind="slack", result="failed"}': '_x30 1x10' },
  },
  FloeAlertMessagesPending: { series: { floe_alert_messages_pending: constant(80) } },
};

/** A process under normal load, for which no alert fires. */
export const HEALTHY = {
  'up{job="floe", instance="a"}': constant(1),
  'floe_build_info{version="1.0.0"}': constant(1),
  'process_start_time_seconds{job="floe"}': constant(1),
  'nodejs_eventloop_lag_p99_seconds{job="floe"}': constant(0.01),
  'floe_exchanges_total{state="complete", code="200", provider="openai"}': perMinute(100),
  'floe_exchanges_total{state="failed", code="502", provider="openai"}': perMinute(1),
  'floe_exchanges_blocked_total{reason="limit"}': perMinute(2),
  'floe_time_to_first_token_seconds_bucket{provider="openai", le="1"}': perMinute(60),
  'floe_time_to_first_token_seconds_bucket{provider="openai", le="+Inf"}': perMinute(60),
  'floe_upstream_attempts_total{provider="openai", result="success"}': perMinute(100),
  'floe_upstream_attempts_total{provider="openai", result="upstream_error"}': perMinute(2),
  'floe_upstream_attempts_total{provider="openai", result="client_left"}': perMinute(40),
  'floe_upstream_attempts_total{provider="openai", result="upstream_refused"}': perMinute(40),
  'floe_failovers_total{provider="openai"}': perMinute(2),
  'floe_breakers_not_closed{provider="openai", state="half_open"}': constant(1),
  'floe_cost_usd_total{provider="openai"}': perMinute(1),
  floe_spool_pending_rows: constant(12),
  floe_shared_store_up: constant(1),
  floe_shared_store_errors_total: constant(3),
  'floe_api_request_duration_seconds_count{status="2xx"}': perMinute(60),
  'floe_api_request_duration_seconds_bucket{le="0.1"}': perMinute(60),
  'floe_api_request_duration_seconds_bucket{le="+Inf"}': perMinute(60),
  floe_config_last_reload_success: constant(1),
  'floe_monitor_up{org="acme", monitor="backup"}': constant(1),
  'floe_alert_delivery_attempts_total{channel_kind="slack", result="sent"}': perMinute(1),
  floe_alert_messages_pending: constant(1),
};

/** Inputs of `promtool test rules` for all cases, one for each interval; the rules file is named by its absolute path. */
export function ruleTests(rulesFile) {
  const cases = Object.entries(RULE_CASES).map(([alert, { series, interval = '1m', at = '39m' }]) => {
    const hasUp = Object.keys(series).some((name) => name.startsWith('up{'));
    const up = hasUp ? {} : { 'up{job="floe"}': constant(1, 700) };
    return testOf(alert, { series: { ...up, ...series }, interval, at }, [alert]);
  });
  const healthy = testOf('no alert', { series: HEALTHY, interval: '1m', at: '39m' }, []);
  return [...Map.groupBy([...cases, healthy], ({ interval }) => interval)].map(([interval, tests]) => ({
    rule_files: [rulesFile],
    evaluation_interval: interval,
    tests,
  }));
}

function testOf(name, { series, interval, at }, firing) {
  return {
    name,
    interval,
    input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: at,
        exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  };
}
