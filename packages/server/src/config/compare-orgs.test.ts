import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOrgs } from './compare-orgs.ts';
import { readEnvironment } from './environment.ts';
import { loadConfig } from './load-config.ts';

const load = (...orgs: readonly string[]) =>
  loadConfig({ text: `orgs:\n${orgs.join('\n')}`, env: readEnvironment({}) });

async function compare(before: readonly string[], after: readonly string[]) {
  let steps = 0;
  const turns = { endStep: async () => void steps++ };
  const { changed, moved } = await compareOrgs(load(...before), load(...after), turns);
  return { changed: [...changed], moved: [...moved], steps };
}

const A = '  - id: a\n    routes: [{ model: m, targets: [p/x] }]\n    providers: [{ id: p, kind: sandbox }]';
const B = '  - id: b';
const C = '  - id: c\n    timezone: UTC';

test('only organizations that differ are changed; other organizations can have moved in the file', async () => {
  assert.deepEqual(await compare([A, B, C], [A, B, C]), { changed: [], moved: [], steps: 3 });
  const longer = `${A}\n    cache: { enabled: true }`;
  assert.deepEqual(await compare([A, B, C], [longer, B, C]), {
    changed: ['a'],
    moved: [
      ['b', 1],
      ['c', 1],
    ],
    steps: 3,
  });
  assert.deepEqual(await compare([A, B, C], [C, A]), {
    changed: ['b'],
    moved: [
      ['c', -4],
      ['a', 2],
    ],
    steps: 2,
  });
  assert.deepEqual(await compare([B], [B, C]), { changed: ['c'], moved: [], steps: 2 });
});

test('an organization is changed if a default value is now set explicitly, or if only a part of it moved', async () => {
  assert.deepEqual((await compare([B], [`${B}\n    cache: { enabled: false }`])).changed, ['b']);
  assert.deepEqual((await compare([A], [A.replace('\n', '\n# comment\n')])).changed, ['a']);
});
