// Tier: artifacts. Needs systemd-analyze.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../setup.mjs';
import {
  assertAnswers,
  emptyDirectory,
  extract,
  run,
  SYSTEM_PATH,
  startServer,
  VERSION,
} from './artifacts.mjs';

const UNIT = join(root, 'deploy/systemd/floe.service');
const env = { PATH: SYSTEM_PATH };
const skip =
  process.getuid?.() !== 0
    ? 'mounting needs root'
    : process.arch !== 'x64'
      ? 'it runs the bundle for linux-x64'
      : false;
/** Runs a program with these system calls; others fail with EPERM, as SystemCallErrorNumber says. */
const CONFINE = `
import errno, os, seccomp, sys
calls = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
for name in sys.argv[1].split(","):
    try:
        calls.add_rule(seccomp.ALLOW, name)
    except RuntimeError:
        pass # It does not exist on this architecture.
calls.load()
os.execv(sys.argv[2], sys.argv[2:])
`;
/** /proc, the user and the capabilities as the unit sets them. */
const ENTER = `set -e
mount -t proc -o subset=pid,hidepid=invisible proc /proc
exec setpriv --reuid 65532 --regid 65532 --clear-groups --bounding-set -all --inh-caps -all --no-new-privs "$@"
`;

/** The system calls that a unit allows: systemd.exec(5), SystemCallFilter. */
function listAllowedCalls(unit) {
  const sets = new Map();
  let members = [];
  for (const line of run('systemd-analyze', ['--no-pager', 'syscall-filter'], { env }).split('\n'))
    if (/^[@#]/.test(line)) {
      members = [];
      sets.set(line.trim(), members);
    } else if (/^ {4}[\w@]/.test(line)) members.push(line.trim());
  const expand = (name) => (name.startsWith('@') ? sets.get(name).flatMap(expand) : [name]);
  const allowed = new Set(expand('@default'));
  for (const [, names] of unit.matchAll(/^SystemCallFilter=(.+)$/gm)) {
    const calls = names.replace('~', '').split(' ').flatMap(expand);
    for (const each of calls) names.startsWith('~') ? allowed.delete(each) : allowed.add(each);
  }
  return [...allowed];
}

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

test('Floe serves with the system calls, the /proc and the capabilities of the unit', { skip }, async (t) => {
  const home = emptyDirectory(t);
  extract(`floe-${VERSION}-linux-x64.tar.gz`, home);
  const data = join(home, 'data');
  mkdirSync(data);
  chmodSync(home, 0o755);
  chownSync(data, 65532, 65532);
  const bundle = join(home, `floe-${VERSION}-linux-x64`);
  const program = [join(bundle, 'bin/node'), join(bundle, 'app/server/bin/server.mjs')];
  const calls = listAllowedCalls(readFileSync(UNIT, 'utf8'));
  assert.ok(calls.includes('epoll_wait') && !calls.includes('mount') && !calls.includes('setpriority'));
  const confine = ['/usr/bin/python3', '-c', CONFINE, calls.join(',')];
  const server = await startServer(
    t,
    '/usr/bin/unshare',
    ['-m', 'sh', '-c', ENTER, 'sh', ...confine, ...program],
    {
      cwd: data,
      env: { ...env, FLOE_DATA_DIR: data, LD_LIBRARY_PATH: join(bundle, 'lib') },
    },
  );
  await assertAnswers(server);
  assert.equal(await server.stop(), 0);
});
