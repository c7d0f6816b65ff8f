import type { Monitor } from '@floe/contract/api/monitors';

/** Returns a monitor with all fields of the API, for tests. `part` contains the fields to set. */
export function createExampleMonitor(part: Partial<Monitor> = {}): Monitor {
  return {
    id: 'job',
    kind: 'heartbeat',
    name: 'Job',
    description: '',
    expected_interval_minutes: 60,
    schedule: null,
    tags: [],
    channels: [],
    paused: false,
    paused_until: null,
    muted_until: null,
    alert_after_misses: 1,
    fail_counts_as_miss: false,
    first_beat_due_minutes: null,
    grace_period_minutes: 5,
    grace_source: 'org',
    status: 'healthy',
    last_beat_at: null,
    next_due_at: null,
    deadline_at: null,
    failing_since: null,
    beat_url: null,
    source: { kind: 'console', file: null, line: null },
    created_at: '2026-11-21T00:00:00.000Z',
    updated_at: '2026-11-21T00:00:00.000Z',
    updated_by: 'mem_1',
    ...part,
  };
}
