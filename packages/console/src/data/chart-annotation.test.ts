import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Annotation, clusterAnnotations, toChartAnnotation } from './chart-annotation.ts';

const AT = '2026-11-21T12:00:00.000Z';
const said = (more: Partial<Annotation>): Annotation => ({
  at: AT,
  kind: 'change',
  text: 'routes.update',
  actor: 'mem_1',
  actor_name: 'jo@acme.example',
  subject: { kind: 'routes', id: 'smart', name: 'smart' },
  ...more,
});

test('what happened is told in words, with who did it and where more stands', () => {
  const change = toChartAnnotation(said({}));
  assert.deepEqual(
    [change.text, change.by, change.page?.to],
    ['Changed route smart', 'jo@acme.example', '/management/audit'],
  );
  const opened = toChartAnnotation(
    said({
      kind: 'breaker',
      text: 'open: 5 failures: in a row',
      actor: null,
      actor_name: null,
      subject: { kind: 'breaker', id: 'main/large@default', name: 'main/large@default' },
    }),
  );
  assert.equal(opened.text, 'Breaker main/large@default opened: 5 failures: in a row');
  assert.deepEqual(
    [opened.state, opened.by, opened.page?.search],
    ['failing', null, { open: 'main/large@default' }],
  );
  assert.equal(toChartAnnotation(said({ kind: 'note', text: 'web 4.2 deployed' })).text, 'web 4.2 deployed');
  assert.equal(toChartAnnotation(said({ kind: 'breaker', text: 'strange' })).state, 'unknown');
  const alerts = ['monitor_failing: Night: job', 'budget ended: org-month', 'monitor_never_beaten: Report'];
  assert.deepEqual(
    alerts.map((text) => toChartAnnotation(said({ kind: 'alert', text })).text),
    [
      'Monitor failing: Night: job',
      'Alert ended (budget threshold reached): org-month',
      'First beat missed: Report',
    ],
  );
});

test('marks that would cover each other stand as one, and none gets lost', () => {
  const marks = [0, 1, 2, 50, 99].map((minute) => ({ ...toChartAnnotation(said({})), at: minute * 60_000 }));
  const groups = clusterAnnotations(marks, 0, 100 * 60_000, 20);
  assert.deepEqual(
    groups.map((group) => group.length),
    [3, 1, 1],
  );
  assert.deepEqual(clusterAnnotations(marks, 40 * 60_000, 60 * 60_000, 20).flat().length, 1);
});

test('a change links to its audit log entry, whatever its age, and an alert links to the alerts of its subject', () => {
  assert.deepEqual(toChartAnnotation(said({})).page?.search, {
    action: 'routes.update',
    from: '2026-11-21T11:59:00.000Z',
    to: '2026-11-21T12:01:00.000Z',
  });
  const alert = toChartAnnotation(said({ kind: 'alert', text: 'budget: org-month' }));
  assert.deepEqual(alert.page, { to: '/alerts', search: { subject: 'smart' } });
});

test('a change from the configuration file names the file', () => {
  assert.equal(toChartAnnotation(said({ actor: 'file', actor_name: null })).by, 'floe.yaml');
});
