import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLateness, parseBeatMetadata, summarizeBeatMetadata } from './check-format.ts';
import {
  deriveMonitorId,
  describeCron,
  formatScheduleWithGrace,
  parseCrontabLine,
} from './monitor-schedule.ts';

test('common cron expressions become sentences, and other expressions stay unchanged', () => {
  for (const [cron, words] of [
    ['0 6 * * *', 'At 06:00, every day'],
    ['30 3 * * 1-5', 'At 03:30, Monday to Friday'],
    ['0 3 * * mon-fri', 'At 03:00, Monday to Friday'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['5 * * * *', 'Every hour at :05'],
    ['0 8,20 * * *', 'At 08:00 and 20:00, every day'],
    ['0 0 1,15 * *', 'At 00:00, on days 1 and 15 of the month'],
    ['0 2 * * 0', 'At 02:00, every Sunday'],
    ['@daily', 'At 00:00, every day'],
  ] as const)
    assert.equal(describeCron(cron), words);
  for (const cron of [
    '0 0 1 * 1',
    '0 0 L * *',
    '1-5 * * * *',
    '0 0 * 3 *',
    'nonsense',
    '0 3 * * mon#2',
    '*/40 * * * *',
  ])
    assert.equal(describeCron(cron), null, cron);
});

test('a pasted line of a crontab gives its schedule and its zone', () => {
  assert.deepEqual(parseCrontabLine('0 3 * * * /usr/local/bin/backup --all'), {
    cron: '0 3 * * *',
    timezone: null,
  });
  assert.deepEqual(parseCrontabLine('CRON_TZ=Europe/Riga 0 3 * * 1-5 job'), {
    cron: '0 3 * * 1-5',
    timezone: 'Europe/Riga',
  });
  assert.deepEqual(parseCrontabLine('@daily /bin/x'), { cron: '@daily', timezone: null });
  assert.equal(parseCrontabLine('0 3 * * * backup')?.cron, '0 3 * * *');
  for (const cron of ['0 0 3 * * *', '30 0 3 * * mon-fri', '0 0 3 * * 1#2'])
    assert.deepEqual(parseCrontabLine(` ${cron} `), { cron, timezone: null });
  assert.equal(parseCrontabLine('/usr/local/bin/backup --all now please do'), null);
});

test('an id made from a name is one the API takes', () => {
  assert.equal(deriveMonitorId('Rechnungs-Export für Köln!'), 'rechnungs-export-fur-koln');
  for (const name of ['A', '  x  ', 'ÄÖ 1', 'a'.repeat(200)])
    assert.match(deriveMonitorId(name), /^[a-z0-9][a-z0-9._-]{0,63}$/);
});

test('interval and grace stand together, a schedule is its expression', () => {
  const base = { expected_interval_minutes: 1440, schedule: null, grace_period_minutes: 30 };
  assert.equal(formatScheduleWithGrace(base), 'every 24 h, grace 30 min');
  const cron = { cron: '0 6 * * *', timezone: 'UTC' };
  assert.equal(
    formatScheduleWithGrace({
      ...base,
      expected_interval_minutes: null,
      schedule: cron,
      grace_period_minutes: 0,
    }),
    'cron 0 6 * * *',
  );
});

test('how late a beat was is said only where something was promised', () => {
  const at = (second: number) => `2026-11-21T03:12:${String(second).padStart(2, '0')}.000Z`;
  assert.equal(formatLateness({ expected_at: at(0), received_at: at(7) }), '+7.00 s');
  assert.equal(formatLateness({ expected_at: at(7), received_at: at(0) }), 'Early');
  assert.equal(formatLateness({ expected_at: at(0), received_at: at(0) }), 'On time');
  assert.equal(formatLateness({ expected_at: null, received_at: at(0) }), '–');
});

test('metadata shows its first two facts and how many more there are', () => {
  assert.equal(
    summarizeBeatMetadata({ host: 'db-3', size: '41 GB', took: { s: 3 } }),
    'host db-3 · size 41 GB · 1 more',
  );
  assert.deepEqual(
    [summarizeBeatMetadata(null), summarizeBeatMetadata({}), summarizeBeatMetadata('x')],
    [null, null, 'x'],
  );
});

test('the body of a beat by URL is read where it is JSON, and left alone where it is not', () => {
  assert.deepEqual(parseBeatMetadata({ body: '{"exit":1}', method: 'POST' }), { method: 'POST', exit: 1 });
  for (const value of [{ body: 'done' }, { body: '[1]' }, { host: 'a' }, null, 'x'])
    assert.deepEqual(parseBeatMetadata(value), value);
});
