import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildStatusStripPaths, STATUS_STRIP_HEIGHT } from './status-strip-paths.ts';

const slice = (healthy: number, failing = 0, unknown = 0, paused = 0) => ({
  started_at: '2026-11-21T00:00:00.000Z',
  healthy_seconds: healthy,
  failing_seconds: failing,
  unknown_seconds: unknown,
  paused_seconds: paused,
});

/** Heights of the boxes in a path. */
const heights = (path: string) => [...path.matchAll(/v([\d.]+)/g)].map(([, height]) => Number(height));

test('a failure of a second is as high as the eye needs, and a whole failing half hour fills its slice', () => {
  assert.deepEqual(heights(buildStatusStripPaths([slice(1799, 1)]).failing), [4]);
  assert.deepEqual(heights(buildStatusStripPaths([slice(0, 1800)]).failing), [STATUS_STRIP_HEIGHT]);
});

test('what nobody saw is neither healthy nor failing, and a slice without anything is told from both', () => {
  const { healthy, failing, unknown, none } = buildStatusStripPaths([slice(0, 0, 1800), slice(0)]);
  assert.deepEqual([healthy, failing], ['', '']);
  assert.deepEqual([heights(unknown), heights(none)], [[STATUS_STRIP_HEIGHT], [2]]);
});

test('however many slices there are, each state is one path', () => {
  const paths = buildStatusStripPaths(
    Array.from({ length: 48 }, (_, index) => slice(900, index % 2 === 0 ? 900 : 0)),
  );
  assert.equal(heights(paths.healthy).length, 48);
  assert.equal(heights(paths.failing).length, 24);
});
