import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildUrlChangesToApplyView,
  isViewEdited,
  isViewOnlyUrl,
  selectViewParameters,
} from './saved-views.ts';

const SLOW = { id: 'viw_1', filters: { latency_ms: '>=1000', range: '7d' } };

test('a view keeps filters, relative time and columns, and nothing of the moment', () => {
  const query = new URLSearchParams(
    'status=5xx&metadata.team=a&range=1h&cols=time&open=exc_1&live=0&view=viw_1',
  );
  assert.deepEqual(selectViewParameters(query), {
    status: '5xx',
    'metadata.team': 'a',
    range: '1h',
    cols: 'time',
  });
});

test('turning to a view takes away what it does not say', () => {
  assert.deepEqual(
    buildUrlChangesToApplyView(new URLSearchParams('status=5xx&from=2026-01-01T00:00:00Z'), SLOW),
    {
      status: null,
      from: null,
      to: null,
      latency_ms: '>=1000',
      range: '7d',
      view: 'viw_1',
    },
  );
});

test('a view is edited when a filter differs, not when its time is frozen', () => {
  assert.equal(isViewEdited(new URLSearchParams('latency_ms=>=1000&range=7d'), SLOW), false);
  assert.equal(isViewEdited(new URLSearchParams('latency_ms=>=1000&from=2026-01-01T00:00:00Z'), SLOW), false);
  assert.equal(isViewEdited(new URLSearchParams('latency_ms=>=2000&range=7d'), SLOW), true);
  assert.equal(isViewEdited(new URLSearchParams('range=7d'), SLOW), true);
});

test('a link that names only a view is opened as that view', () => {
  assert.equal(isViewOnlyUrl(new URLSearchParams('view=viw_1&live=0')), true);
  assert.equal(isViewOnlyUrl(new URLSearchParams('view=viw_1&status=5xx')), false);
});
