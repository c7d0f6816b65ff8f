import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PositionTable, SourcePositions } from './source-positions.ts';
import { parseYamlDocument } from './yaml-document.ts';

const read = (text: string) => {
  const { positions, problems } = parseYamlDocument(text);
  assert.deepEqual(problems, []);
  return new SourcePositions(positions);
};

const TEXT = `server: { port: 1, host: }
orgs:
  - id: a
    keys: &keys
      - { name: one, key: k1 }
      -
        name: two
    routes:
  - id: b
    keys: *keys
`;

test('a field, a key without a value, a list entry and a field below an alias have positions', () => {
  const positions = read(TEXT);
  const at = (...path: (string | number)[]) => Object.values(positions.positionOf(path)).join(':');
  assert.equal(at(), '1:1');
  assert.equal(at('server', 'host'), '1:20');
  assert.equal(at('orgs', 0, 'keys', 1, 'name'), '7:9');
  assert.equal(at('orgs', 0, 'routes'), '8:5');
  assert.equal(at('orgs', 1, 'keys', 0, 'key'), '5:22');
  assert.equal(at('orgs', 1, 'keys'), '10:5');
});

test('an unknown field has the position of its closest known parent', () => {
  const positions = read(TEXT);
  for (const path of [
    ['orgs', 1, 'limits', 3, 'rpm'],
    ['orgs', 1, -1],
    ['orgs', 1, 'id', 'x'],
  ])
    assert.equal(positions.lineOf(path), 9, path.join('.'));
  assert.equal(positions.lineOf(['orgs', 7]), 2);
  assert.equal(positions.lineOf(['retention', 'audit_days']), undefined);
  assert.equal(positions.lineOf([]), undefined);
});

test('a key without a value sets nothing', () => {
  const positions = read(TEXT);
  assert.ok(positions.sets(['server', 'port']));
  assert.ok(!positions.sets(['server', 'host']));
  assert.ok(!positions.sets(['orgs', 0, 'routes']));
  assert.ok(positions.sets(['orgs', 1, 'keys', 1]));
  assert.ok(!positions.sets(['orgs', -1, 'keys']));
  assert.ok(!read('').sets(['orgs']));
});

test('a section that moved is recognized by its lines; a section that differs or moved in part is not', () => {
  const before = read(TEXT);
  const moved = (text: string, path: (string | number)[]) => read(text).linesMoved(path, before, path);
  assert.equal(moved(TEXT, ['orgs', 0]), 0);
  assert.equal(moved(`# a\n# b\n${TEXT}`, ['orgs', 0]), 2);
  assert.equal(moved(TEXT.replace('    routes:\n', '    routes: []\n'), ['orgs', 0]), null, 'now set');
  assert.equal(moved(TEXT.replace('routes', 'limits'), ['orgs', 0]), null, 'another name');
  assert.equal(moved(TEXT.replace('      -\n', '      -\n# c\n'), ['orgs', 0]), null, 'moved in part');
  assert.equal(moved(TEXT.replace('        name: two\n', '        {}\n'), ['orgs', 0]), null, 'fewer');
  assert.equal(moved(TEXT, ['orgs', 2]), null, 'unknown');
});

test('positions survive a copy to another thread', () => {
  const { positions } = parseYamlDocument(TEXT);
  const copy: PositionTable = structuredClone(positions, { transfer: [positions.fields.buffer] });
  assert.equal(new SourcePositions(copy).lineOf(['orgs', 1, 'keys', 1, 'name']), 7);
});
