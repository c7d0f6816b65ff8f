// Tier: artifacts. Needs systemd-analyze.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../setup.mjs';
import { emptyDirectory, run, SYSTEM_PATH } from './artifacts.mjs';

const UNIT = join(root, 'deploy/systemd/floe.service');
const env = { PATH: SYSTEM_PATH };

test('systemd accepts the unit, and its exposure is below 2 of 10', (t) => {
  const home = emptyDirectory(t);
  // Programs that the unit names must exist in the root that is checked.
  const unit = readFileSync(UNIT, 'utf8');
  const program = /^ExecStart=(\S+)/m.exec(unit)[1];
  mkdirSync(join(home, program, '..'), { recursive: true });
  writeFileSync(join(home, program), '');
  chmodSync(join(home, program), 0o755);
  const copy = join(home, 'floe.service');
  writeFileSync(copy, unit.replace(program, join(home, program)));
  assert.equal(run('systemd-analyze', ['verify', copy], { env }), '');
  run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', UNIT], { env });
});

test('the unit waits for the end of a drain with default settings', () => {
  const unit = readFileSync(UNIT, 'utf8');
  const settings = readFileSync(join(root, 'docs/reference/configuration/installation.md'), 'utf8');
  const defaultOf = (name) => Number(new RegExp(`\`${name}\` \\| [^|]* \\| \`(\\d+)\``).exec(settings)[1]);
  const longestMs = defaultOf('shutdown_delay_ms') + defaultOf('drain_timeout_ms');
  const stopMs = 1000 * Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)[1]);
  assert.ok(longestMs > 0 && stopMs > longestMs, `${stopMs} ms for ${longestMs} ms`);
});
