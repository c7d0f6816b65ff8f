import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainDenial, isActionAllowed } from './permissions.ts';

test('a role may do what it and every lesser role may', () => {
  assert.deepEqual(
    (['owner', 'admin', 'member', 'viewer'] as const).map((role) => [
      isActionAllowed(role, 'owners'),
      isActionAllowed(role, 'management'),
      isActionAllowed(role, 'monitoring'),
    ]),
    [
      [true, true, true],
      [false, true, true],
      [false, false, true],
      [false, false, false],
    ],
  );
});

test('a refusal says which role is needed and who can help', () => {
  assert.equal(
    explainDenial('management', ['Mara Koch', 'Jo Lind']),
    'Requires the admin role. Ask Mara Koch or Jo Lind.',
  );
  assert.equal(
    explainDenial('management', ['Ann', 'Ben', 'Cem', 'Dan']),
    'Requires the admin role. Ask Ann, Ben or Cem.',
  );
  assert.equal(explainDenial('owners'), 'Requires the owner role. Ask an owner.');
});
