// Tier: artifacts. Needs the built release.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareVersions, highestVersion, readVersionNeeds } from '../elf-version-needs.mjs';
import { emptyDirectory, extract, run, SYSTEM_PATH, VERSION } from './artifacts.mjs';

/** What the page Install Floe states. GLIBCXX is a version of libstdc++; 3.4.21 is that of GCC 5.1. */
const DOCUMENTED_NEEDS = { GLIBC: '2.28', GLIBCXX: '3.4.21' };

const skip = process.getuid?.() === 0 ? false : 'a network namespace needs root';
const ASK = `
const text = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] };
const headers = { authorization: 'Bearer ' + process.argv[1], 'content-type': 'application/json' };
const url = 'http://127.0.0.1:3563/gateway/v1/chat/completions';
const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(text) });
console.log(answer.status, (await answer.json()).choices[0].message.content);
`;
/** Installs, starts, asks and stops where there is only a loopback interface, and no libatomic but that of the bundle. */
const SCRIPT = `set -eu
ip link set lo up
[ "$(ip route | wc -l)" = 0 ]
for library in $(ldconfig -p | sed -n 's/^.*libatomic.so.1 .*=> //p'); do mount --bind /dev/null "$library"; done
"$1/install.sh" --prefix "$2/opt" --bin "$2/bin"
cd "$2"
"$2/bin/floe" serve > "$2/log" 2>&1 &
server=$!
for _ in $(seq 1200); do ! grep -q '"key":"' "$2/log" || break; sleep 0.1; done
LD_LIBRARY_PATH="$2/opt/current/lib" "$2/opt/current/bin/node" --input-type=module --eval "$3" "$(sed -n 's/^.*"key":"\\([^"]*\\)".*$/\\1/p' "$2/log")"
kill $server
wait $server
`;

for (const [platform, isHere] of [
  ['linux-x64', process.arch === 'x64'],
  ['linux-arm64', process.arch === 'arm64'],
]) {
  const reason = isHere ? skip : `it runs on ${platform}; the image test runs the same files under emulation`;
  test(`the bundle for ${platform} installs and serves without a network`, { skip: reason }, (t) => {
    const home = emptyDirectory(t);
    const target = join(home, 'target');
    mkdirSync(target);
    extract(`floe-${VERSION}-${platform}.tar.gz`, home);
    const unpacked = join(home, `floe-${VERSION}-${platform}`);
    const env = { PATH: SYSTEM_PATH, HOME: target };
    const args = ['-n', '-m', 'sh', '-c', SCRIPT, 'sh', unpacked, target, ASK];
    assert.match(run('/usr/bin/unshare', args, { env }), /^200 Hello$/m);
    assert.equal(readlinkSync(join(target, 'opt/current')), VERSION);
    // A second installation of the same version replaces the first one.
    run(join(unpacked, 'install.sh'), ['--prefix', join(target, 'opt'), '--bin', join(target, 'bin')], {
      env,
    });
    assert.equal(run(join(target, 'bin/floe'), ['version'], { env }), `floe ${VERSION}\n`);
  });
}

for (const platform of ['linux-x64', 'linux-arm64'])
  test(`the programs of the bundle for ${platform} need no newer libraries than documented`, (t) => {
    const home = emptyDirectory(t);
    const unpacked = `floe-${VERSION}-${platform}`;
    const files = ['bin/node', 'lib/libatomic.so.1'].map((name) => `${unpacked}/${name}`);
    extract(`${unpacked}.tar.gz`, home, files);
    for (const file of files) {
      const needs = readVersionNeeds(readFileSync(join(home, file)));
      assert.ok(needs.size > 0, `${file} needs no library`);
      for (const [kind, documented] of Object.entries(DOCUMENTED_NEEDS)) {
        const needed = highestVersion(needs, kind) ?? '0';
        assert.ok(compareVersions(needed, documented) <= 0, `${file} needs ${kind} ${needed}`);
      }
    }
  });

test('install.sh names its options and rejects others', { skip }, (t) => {
  const home = emptyDirectory(t);
  extract(`floe-${VERSION}-linux-x64.tar.gz`, home, [`floe-${VERSION}-linux-x64/install.sh`]);
  const script = join(home, `floe-${VERSION}-linux-x64/install.sh`);
  assert.match(run(script, ['--help'], { env: { PATH: SYSTEM_PATH } }), /--prefix[\s\S]*--systemd/);
  assert.throws(() => run(script, ['--other'], { env: { PATH: SYSTEM_PATH } }), /ended with 2/);
});
