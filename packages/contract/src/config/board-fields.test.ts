import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoardSchema } from './monitoring.ts';

test('a board can have at most 500 monitors in all of its groups', () => {
  const group = (count: number) => ({
    name: 'g',
    monitors: Array.from({ length: count }, (_, n) => `m${n}`),
  });
  const boardOf = (...counts: readonly number[]) =>
    BoardSchema.safeParse({ slug: 'b', groups: counts.map(group) });
  assert.ok(boardOf(300, 200).success);
  const { error } = boardOf(300, 201);
  assert.deepEqual(
    error?.issues.map(({ path, message }) => [path, message]),
    [[['groups'], 'must contain at most 500 monitors in all groups together']],
  );
});
