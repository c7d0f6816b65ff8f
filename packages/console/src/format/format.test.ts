import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatCompactNumber,
  formatCount,
  formatDuration,
  formatExactMoney,
  formatMoney,
  formatPercent,
  formatPrice,
  formatTokens,
  formatUptime,
  shortenId,
} from './amounts.ts';
import {
  formatClockTime,
  formatFullDateTime,
  formatRelativeTime,
  formatShortDate,
  formatTimeZoneName,
  getBrowserTimeZone,
} from './times.ts';

test('money that is something is never written as nothing, and unknown is not free', () => {
  const written: [number | null, string][] = [
    [null, 'unknown'],
    [0, '$0'],
    [1, '< $0.000001'],
    [654_000, '$0.000654'],
    [900_000, '$0.0009'],
    [24_388_000, '$0.0244'],
    [138_210_000_000, '$138.21'],
    [1_204_180_000_000, '$1,204.18'],
    [-24_388_000, '-$0.0244'],
  ];
  for (const [nano, text] of written) assert.equal(formatMoney(nano), text);
  for (let nano = 1; nano < 1e13; nano *= 7)
    assert.ok(!/^\$0(\.0*)?$/.test(formatMoney(nano)), formatMoney(nano));
});

test('the exact amount keeps every nano', () => {
  assert.equal(formatExactMoney(24_388_001), '$0.024388001');
  assert.equal(formatExactMoney(2_000_000_000), '$2');
});

test('counts and tokens are exact while they are short', () => {
  assert.deepEqual([842, 18_213, 1_240_000].map(formatCompactNumber), ['842', '18.2k', '1.24M']);
  assert.equal(formatCount(16_204), '16,204');
  assert.equal(formatTokens(null), '–');
});

test('a duration has the unit that a reader would say', () => {
  const written: [number, string][] = [
    [0, '0 ms'],
    [0.94, '0.9 ms'],
    [612, '612 ms'],
    [999.6, '1.00 s'],
    [6870, '6.87 s'],
    [30_400, '30.4 s'],
    [161_000, '2 min 41 s'],
    [13_860_000, '3 h 51 min'],
    [532_800_000, '6 d 4 h'],
    [3_600_000, '1 h'],
  ];
  for (const [ms, text] of written) assert.equal(formatDuration(ms), text);
});

test('uptime is rounded down, so that 100% means that nothing was missed', () => {
  assert.equal(formatUptime(1), '100%');
  assert.equal(formatUptime(0.9999999), '99.999%');
  assert.equal(formatUptime(0.97854), '97.854%');
});

test('percentages keep two digits of meaning and prices two to four decimals', () => {
  assert.deepEqual([0, 0.0193, 0.118, 0.00041, 1].map(formatPercent), [
    '0%',
    '1.93%',
    '11.8%',
    '0.041%',
    '100%',
  ]);
  assert.deepEqual([3, 0.125, 0.0375].map(formatPrice), ['3.00', '0.125', '0.0375']);
});

test('times are written in the zone that is asked for, and say which', () => {
  const at = new Date('2026-11-21T12:26:39.665Z');
  assert.equal(formatClockTime(at, 'Europe/Berlin', true), '13:26:39.665');
  assert.equal(formatFullDateTime(at, 'UTC', true), '21 Nov 2026, 12:26:39.665 UTC');
  assert.equal(formatTimeZoneName(at, 'Europe/Berlin'), 'CET');
  assert.equal(formatShortDate(at, 'UTC', at), '21 Nov');
  assert.equal(formatShortDate(at, 'UTC', new Date('2027-01-01T00:00:00Z')), '21 Nov 2026');
});

test('a moment is told relative to now, before and after', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  assert.equal(formatRelativeTime(new Date('2026-11-21T03:00:00Z'), now), '9 h ago');
  assert.equal(formatRelativeTime(new Date('2026-11-21T12:05:00Z'), now), 'in 5 min');
  const relative: [number, string][] = [
    [0, 'just now'],
    [-41_000, '41 s ago'],
    [97 * 60_000, 'in 1 h 37 min'],
    [-97 * 60_000, '1 h ago'],
    [2 * 3_600_000, 'in 2 h'],
    [14 * 3_600_000 + 60_000, 'in 14 h'],
    [46 * 3_600_000, 'in 1 d 22 h'],
    [89.5 * 86_400_000, 'in 89 d'],
  ];
  for (const [ms, text] of relative)
    assert.equal(formatRelativeTime(new Date(now.getTime() + ms), now), text);
});

test('a long id keeps its prefix and its end', () => {
  assert.equal(shortenId('exc_01JDA7K3VQ4T8Z'), 'exc_01JDA7…4T8Z');
  assert.equal(shortenId('exc_1'), 'exc_1');
});

test('the name of a zone changes in the moment its clocks do', () => {
  const change = Date.parse('2026-10-25T01:00:00.000Z');
  const names = [-1, 0, -1].map((ms) => formatTimeZoneName(new Date(change + ms), 'Europe/Berlin'));
  assert.deepEqual(names, ['CEST', 'CET', 'CEST']);
});

test('a browser that does not know its time zone shows times in UTC', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2040-01-01T00:00:00Z') });
  const read = Intl.DateTimeFormat.prototype.resolvedOptions;
  t.mock.method(
    Intl.DateTimeFormat.prototype,
    'resolvedOptions',
    function unknown(this: Intl.DateTimeFormat) {
      return { ...read.call(this), timeZone: 'Etc/Unknown-Zone' };
    },
  );
  assert.equal(getBrowserTimeZone(), 'UTC');
});
