import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Fault } from '@floe/contract/faults';
import { FakeClock } from '@floe/testkit/fake-clock';
import { listLastBoardDays, type StatusDurations } from '../../monitoring/boards/board-days.ts';
import type { BoardMonitor, BoardView } from '../../monitoring/boards/board-view.ts';
import { renderBoardBadge, renderMonitorBadge } from './board-badge.ts';
import { BoardCache } from './board-cache.ts';
import { renderBoardPage } from './board-page.ts';
import { BoardRenderTimeLimiter } from './board-render-time-limiter.ts';
import { formatBoardDuration, formatUptimePercent } from './board-text.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const LINKS = { stylesheet: '/boards/assets/board.css', icon: '/boards/assets/floe.svg', board: '/boards/b' };
const HEALTHY: StatusDurations = { healthy: DAY, failing: 0, unknown: 0, paused: 0, waiting: 0 };
const MIXED: StatusDurations = {
  healthy: DAY / 2,
  failing: DAY / 4,
  unknown: DAY / 8,
  paused: DAY / 8,
  waiting: 0,
};

function shown(id: string, changes: Partial<BoardMonitor> = {}): BoardMonitor {
  return {
    id,
    name: id,
    status: 'healthy',
    lastBeatAt: NOW - 60_000,
    failingSince: null,
    pausedUntil: null,
    maintenanceUntil: null,
    uptimeRatio: 1,
    downtimeMs: 0,
    days: Array.from({ length: 90 }, () => HEALTHY),
    historySince: null,
    ...changes,
  };
}

function view(monitors: readonly BoardMonitor[], changes: Partial<BoardView> = {}): BoardView {
  return {
    slug: 'b',
    name: 'Board',
    timezone: 'Europe/Riga',
    nowMs: NOW,
    checkedAt: NOW - 500,
    days: listLastBoardDays('Europe/Riga', NOW, 90),
    groups: [{ name: 'Jobs', monitors }],
    downtimes: [],
    maintenance: [],
    ...changes,
  };
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><svg/onload=alert(1)>',
  '&lt;b&gt; &amp; &#x3c;script&#x3e;',
  'javascript:alert(1)',
  '{{7*7}}<%= 7 %>`',
  '\u202e\u0000\ud800 ]]> <!--',
];

test('names are escaped everywhere on the page and on badges', () => {
  for (const name of HOSTILE) {
    const monitor = shown('job', {
      name,
      status: 'failing',
      failingSince: NOW - 5_000,
      days: [...Array(89).fill(HEALTHY), MIXED],
    });
    const hostile = view([monitor], {
      name,
      groups: [{ name, monitors: [monitor] }],
      downtimes: [{ monitorId: 'job', name, startedAt: NOW - DAY, endedAt: NOW, durationMs: DAY }],
      maintenance: [{ name, monitors: [name], startsAt: NOW - 1, endsAt: NOW + DAY }],
    });
    const plain = view([{ ...monitor, name: 'N' }], {
      ...hostile,
      name: 'N',
      groups: [{ name: 'N', monitors: [{ ...monitor, name: 'N' }] }],
      downtimes: hostile.downtimes.map((one) => ({ ...one, name: 'N' })),
      maintenance: hostile.maintenance.map((one) => ({ ...one, name: 'N', monitors: ['N'] })),
    });
    // The same tags and attributes as with a plain name: nothing of it became markup.
    assert.deepEqual(tagsOf(renderBoardPage(hostile, LINKS)), tagsOf(renderBoardPage(plain, LINKS)), name);
    for (const badge of [renderBoardBadge(hostile), renderMonitorBadge(monitor)]) {
      assert.deepEqual(
        tagsOf(badge).filter((tag) => !KNOWN_BADGE_TAGS.has(tag)),
        [],
        name,
      );
      assert.doesNotMatch(badge, /[\u0000-\u0008]|[\ud800-\udfff]/u);
    }
  }
});

const KNOWN_BADGE_TAGS = new Set(['svg', 'title', 'clippath', 'rect', 'g', 'text']);

/** Names of elements, as a reader of HTML finds them, with the names of their attributes. */
function tagsOf(markup: string): string[] {
  return [...markup.matchAll(/<([a-zA-Z!][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, tag = '', rest = '']) => {
      const attributes = markup.startsWith('<!doctype')
        ? [...rest.matchAll(/\s([\w:-]+)=?/g)].map(([, one]) => one)
        : [];
      return [tag.toLowerCase(), ...attributes].join(' ').trim();
    },
  );
}

test('a page has no script, no inline style and no external resource', () => {
  const page = renderBoardPage(view([shown('job', { days: [...Array(89).fill(HEALTHY), MIXED] })]), LINKS);
  assert.doesNotMatch(page, /<script|\son\w+=|\sstyle=|<style|https?:\/\/|javascript:/i);
});

test('the page describes the bars in words', () => {
  const days = [...Array(89).fill(HEALTHY), MIXED];
  const page = renderBoardPage(view([shown('job', { days, uptimeRatio: 0.99, downtimeMs: DAY / 4 })]), LINKS);
  assert.match(page, /role="img" aria-label="90 days: 99\.000% uptime, 6 h of downtime\."/);
  assert.match(page, /<th scope="row">21 Nov 2026<\/th><td>6 h<\/td><td>3 h<\/td><td>3 h<\/td>/);
});

test('every day has a description, also a healthy one, and is reachable without a script', () => {
  const before: StatusDurations = { healthy: 0, failing: 0, unknown: 0, paused: 0, waiting: 0 };
  const days = [before, ...Array(88).fill(HEALTHY), MIXED];
  const page = renderBoardPage(view([shown('job', { days })]), LINKS);
  const slots = [...page.matchAll(/<input type="radio" name="d"><span>(.*?)<\/span>/g)].map(
    ([, text]) => text,
  );
  assert.equal(slots.length, 90);
  assert.match(slots[0] ?? '', /^24 Aug 2026: no data$/);
  assert.match(slots[1] ?? '', /^25 Aug 2026: healthy all day$/);
  assert.equal(slots[89], '21 Nov 2026: failing 6 h, unknown 3 h, paused 3 h, healthy 12 h');
  assert.match(page, /<legend>job, day by day<\/legend>/);
});

test('the page states from when on a monitor with too many status changes has a history', () => {
  const page = renderBoardPage(view([shown('flapping', { historySince: NOW - DAY }), shown('calm')]), LINKS);
  const notes = page.match(/Earlier history is not shown, because the status changed too often\./g);
  assert.equal(notes?.length, 1);
  assert.match(page, /The history starts at <time datetime="2026-11-20T12:00:00.000Z"/);
});

test('fifty monitors with a slot for each day are a small page, and larger boards list only the affected days', () => {
  const all = (count: number) =>
    renderBoardPage(view(Array.from({ length: count }, (_, n) => shown(`job-${n}`))), LINKS);
  assert.ok(gzipSync(all(50)).length < 30_000, `${gzipSync(all(50)).length}`);
  assert.doesNotMatch(all(51), /type="radio"/);
});

test('the headline describes the worst status, except for failures in maintenance', () => {
  const failing = (id: string, changes: Partial<BoardMonitor> = {}) =>
    shown(id, { status: 'failing', failingSince: NOW - 3 * 3_600_000, ...changes });
  const says = (...monitors: readonly BoardMonitor[]) => {
    const [, words] = /<h2 id="now">(.*?)<\/h2>/.exec(renderBoardPage(view(monitors), LINKS)) ?? [];
    return words;
  };
  assert.equal(says(shown('a'), shown('b')), 'All jobs are healthy');
  assert.equal(says(shown('a'), failing('b')), 'b is failing');
  assert.equal(says(failing('a'), failing('b')), 'a and b are failing');
  assert.equal(says(failing('a'), failing('b'), failing('c')), 'a and 2 others are failing');
  assert.equal(says(shown('a'), failing('b', { maintenanceUntil: NOW + 1 })), 'Maintenance in progress');
  assert.equal(says(shown('a'), shown('b', { status: 'waiting' })), 'No job is failing');
  assert.equal(says(shown('a', { status: 'waiting' })), 'Waiting for beats');
  assert.equal(says(), 'This board has no monitors yet');
  const old = renderBoardPage(view([shown('a')], { checkedAt: NOW - 200_000 }), LINKS);
  assert.match(old, /This page may be out of date/);
});

test('two hundred monitors with ninety days each are a page of bounded size, however bad the days', () => {
  const monitors = (day: StatusDurations) =>
    Array.from({ length: 200 }, (_, n) => shown(`job-${n}`, { days: Array(90).fill(day) }));
  const good = renderBoardPage(view(monitors(HEALTHY)), LINKS);
  assert.ok(good.length < 250_000, `${good.length}`);
  const bad = renderBoardPage(view(monitors(MIXED)), LINKS);
  assert.ok(bad.length < 10_000_000, `${bad.length}`);
  assert.ok(gzipSync(good).length < 20_000, `${gzipSync(good).length}`);
});

test('percentages are rounded down, and durations have their two largest units', () => {
  assert.deepEqual([1, 0.9999999, 0.99, 0].map(formatUptimePercent), [
    '100%',
    '99.999%',
    '99.000%',
    '0.000%',
  ]);
  assert.deepEqual([999, 41_000, 161_000, 3_600_000, 13_860_000, 532_800_000].map(formatBoardDuration), [
    '0 s',
    '41 s',
    '2 min 41 s',
    '1 h',
    '3 h 51 min',
    '6 d 4 h',
  ]);
});

test('days are days in the time zone of the board, also with 23 or 25 hours', () => {
  const days = listLastBoardDays('Europe/Riga', Date.UTC(2026, 9, 26, 12), 3);
  assert.deepEqual(
    days.map(({ date, startsAt, endsAt }) => `${date} ${(endsAt - startsAt) / 3_600_000}`),
    ['2026-10-24 24', '2026-10-25 25', '2026-10-26 24'],
  );
});

function cached() {
  const clock = new FakeClock();
  const state = {
    version: 'v1' as string | null,
    orgId: 'acme',
    away: false,
    looks: 0,
    reads: 0,
    made: 0,
    tookMs: 0,
    bytes: 1,
    grownBy: 0,
  };
  const source = {
    async versionOf() {
      state.looks += 1;
      if (state.away) throw new Error('the database is away');
      return state.version === null ? null : { version: state.version, orgId: state.orgId };
    },
    async read() {
      state.reads += 1;
      clock.advance(state.tookMs);
      return view([shown('a')]);
    },
  };
  const render = () => {
    state.made += 1;
    const { bytes, made } = state;
    return {
      text: `made ${made}`,
      get bytes() {
        return bytes + state.grownBy;
      },
    };
  };
  const timeLimiter = new BoardRenderTimeLimiter(clock);
  const cache = new BoardCache({ source, clock, timeLimiter, render });
  const get = async (slug: string) => (await cache.get(slug))?.text ?? null;
  return { clock, state, timeLimiter, cache: { get } };
}

test('a popular board is read once for all visitors, and again when it is old or has changed', async () => {
  const { clock, state, cache } = cached();
  await Promise.all(Array.from({ length: 1_000 }, () => cache.get('b')));
  assert.deepEqual([state.looks, state.reads, state.made], [1, 1, 1]);
  clock.advance(2_000);
  assert.equal(await cache.get('b'), 'made 1');
  assert.deepEqual([state.looks, state.reads], [2, 1]);
  clock.advance(3_000);
  assert.equal(await cache.get('b'), 'made 2');
  state.version = 'v2';
  clock.advance(2_000);
  assert.equal(await cache.get('b'), 'made 3');
});

test('the boards of an organization are rendered in a twentieth of the time, however many there are', async () => {
  const { clock, state, cache } = cached();
  state.tookMs = 100;
  const names = Array.from({ length: 20 }, (_, index) => `b${index}`);
  for (const name of names) await cache.get(name);
  const before = state.reads;
  for (let seconds = 0; seconds < 200; seconds++) {
    clock.advance(1_000);
    for (const name of names) await cache.get(name);
  }
  const tookMs = state.reads * 100;
  assert.ok(tookMs <= 12_200, `${tookMs} ms of rendering in 200 s and the first round`);
  assert.ok(state.reads - before > 50, `${state.reads - before} boards were rendered again`);
});

test('if too many boards of an organization are not cached, further ones are rendered later', async () => {
  const { clock, state, cache, timeLimiter } = cached();
  state.tookMs = 100;
  const shownBoards: string[] = [];
  for (let index = 0; index < 80; index++)
    await cache.get(`b${index}`).then(
      () => shownBoards.push(`b${index}`),
      (error: unknown) => assert.equal(error instanceof Fault && error.code, 'overloaded'),
    );
  assert.ok(shownBoards.length >= 60 && shownBoards.length <= 66, `${shownBoards.length} boards`);
  assert.equal(timeLimiter.waitMs('umbrella'), 0, 'another organization waits');
  assert.equal(await cache.get('b0'), 'made 1');
  clock.advance(timeLimiter.waitMs('acme'));
  assert.notEqual(await cache.get('b79'), null);
});

test('the size of all cached boards is limited', async () => {
  const { state, cache } = cached();
  state.bytes = 30 * 1024 * 1024;
  for (const name of ['a', 'b', 'c', 'd', 'e']) await cache.get(name);
  assert.equal(state.reads, 5);
  await cache.get('e');
  assert.equal(state.reads, 5);
  await cache.get('a');
  assert.equal(state.reads, 6);
});

test('a board is found in the cache after hundreds of others were evicted, and after its organization changed', async () => {
  const { clock, state, cache } = cached();
  for (let index = 0; index < 500; index++) {
    state.orgId = `org${index}`;
    await cache.get(`b${index}`);
  }
  for (let index = 400; index < 500; index++) await cache.get(`b${index}`);
  assert.equal(state.reads, 500);
  await cache.get('b0');
  assert.equal(state.reads, 501, 'it was evicted');
  state.orgId = 'new owner';
  state.version = 'v2';
  clock.advance(2_000);
  await cache.get('b499');
  await cache.get('b499');
  assert.equal(state.reads, 502);
});

test('a board that has grown since it was cached counts with its new size', async () => {
  const { state, cache } = cached();
  for (const name of ['a', 'b', 'c']) await cache.get(name);
  state.grownBy = 50 * 1024 * 1024;
  for (const name of ['a', 'b', 'c']) await cache.get(name);
  assert.equal(state.reads, 3);
  await cache.get('a');
  assert.equal(state.reads, 4, 'only two of them fit');
});

test('a board that is slow to render is rendered less often', async () => {
  const { clock, state, cache } = cached();
  state.tookMs = 1_000;
  await cache.get('b');
  for (let seconds = 0; seconds < 15; seconds++) {
    clock.advance(1_000);
    await cache.get('b');
  }
  assert.equal(state.reads, 1);
  clock.advance(10_000);
  await cache.get('b');
  assert.equal(state.reads, 2);
});

test('a board that becomes private disappears within two seconds, and unknown slugs are not cached forever', async () => {
  const { clock, state, cache } = cached();
  assert.equal(await cache.get('b'), 'made 1');
  state.version = null;
  clock.advance(2_000);
  assert.equal(await cache.get('b'), null);
  for (let n = 0; n < 3_000; n++) assert.equal(await cache.get(`guess-${n}`), null);
  const before = state.looks;
  await cache.get('guess-2999');
  assert.equal(state.looks, before);
  await cache.get('guess-0');
  assert.equal(state.looks, before + 1);
});

test('without a database, the last page is served for ten minutes, and a page that was never read is an error', async () => {
  const { clock, state, cache } = cached();
  await cache.get('b');
  state.away = true;
  clock.advance(60_000);
  assert.equal(await cache.get('b'), 'made 1');
  await assert.rejects(cache.get('unseen'));
  clock.advance(600_000);
  await assert.rejects(cache.get('b'));
});
