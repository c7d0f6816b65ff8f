// Tier: artifacts. Needs the built release.
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { root } from '../../setup.mjs';
import { hashOf } from '../cache.mjs';
import {
  artifact,
  assertAnswers,
  emptyDirectory,
  extract,
  run,
  SYSTEM_PATH,
  startServer,
  VERSION,
} from './artifacts.mjs';

const skip = process.getuid?.() === 0 ? false : 'mounting and chroot need root';
const LIMIT_BYTES = 80 * 1000 * 1000;
const env = { PATH: SYSTEM_PATH };
/** Extracts the image, mounts it read-only with a writable /data, and runs a command in it. */
const ENTER = `set -e
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount --bind "$2" "$1/data"
[ -z "$3" ] || mount -o bind,ro "$3" "$1/emulator"
root=$1; shift 3
exec chroot --userspec=65532:65532 "$root" "$@"
`;

/** The configuration and the manifest of an image; checks every hash on the way. */
function readImage(t, architecture) {
  const dir = emptyDirectory(t);
  run('tar', ['-xf', artifact(`floe-${VERSION}-image-${architecture}.oci.tar`), '-C', dir], { env });
  const readBlob = ({ digest, size }) => {
    const data = readFileSync(join(dir, 'blobs', digest.replace(':', '/')));
    assert.deepEqual([`sha256:${hashOf(data)}`, data.length], [digest, size]);
    return data;
  };
  const index = JSON.parse(readFileSync(join(dir, 'index.json'), 'utf8'));
  const manifest = JSON.parse(readBlob(index.manifests[0]));
  const layers = manifest.layers.map(readBlob);
  return { index, manifest, layers, config: JSON.parse(readBlob(manifest.config)) };
}

/** The extracted layers of an image, as an empty machine would run them. */
function openImage(t, architecture) {
  const home = emptyDirectory(t);
  const dir = join(home, 'root');
  const data = join(home, 'data');
  for (const path of [dir, data]) mkdirSync(path);
  for (const layer of [`base-${architecture}`, 'app']) extract(`floe-${VERSION}-image-${layer}.tar.gz`, dir);
  chmodSync(home, 0o755);
  chownSync(data, 65532, 65532);
  return enterable(dir, data, architecture);
}

function enterable(dir, data, architecture) {
  const emulator = architecture === 'arm64' && process.arch !== 'arm64' ? '/usr/bin/qemu-aarch64-static' : '';
  if (emulator !== '') writeFileSync(join(dir, 'emulator'), '');
  const script = ['-m', 'sh', '-c', ENTER, 'sh', dir, data, emulator];
  const prefix = emulator === '' ? [] : ['/emulator'];
  return { dir, data, isEmulated: emulator !== '', args: (command) => [...script, ...prefix, ...command] };
}

suite('the container image', { skip, concurrency: 2 }, () => {
  for (const architecture of ['amd64', 'arm64']) {
    test(`${architecture}: its documents are complete, and it has at most 80 MB`, (t) => {
      const { index, manifest, config, layers } = readImage(t, architecture);
      assert.equal(index.manifests[0].platform.architecture, architecture);
      assert.deepEqual([config.architecture, config.os], [architecture, 'linux']);
      assert.equal(config.config.User, '65532:65532');
      assert.deepEqual(config.config.Volumes, { '/data': {} });
      assert.equal(config.config.Labels['org.opencontainers.image.version'], VERSION);
      assert.equal(config.rootfs.diff_ids.length, manifest.layers.length);
      const bytes = layers.reduce((sum, layer) => sum + layer.length, 0);
      assert.ok(bytes <= LIMIT_BYTES, `${bytes} bytes`);
      t.diagnostic(`image ${architecture}: ${(bytes / 1e6).toFixed(1)} MB compressed`);
    });

    test(`${architecture}: it serves as user 65532 with a read-only root and a writable /data`, async (t) => {
      const { config } = readImage(t, architecture).config;
      const image = openImage(t, architecture);
      const settings = {
        ...Object.fromEntries(config.Env.map((each) => each.split('='))),
        FLOE_HOST: '127.0.0.1',
      };
      const server = await startServer(t, '/usr/bin/unshare', image.args(config.Entrypoint), {
        env: { ...settings, PATH: SYSTEM_PATH },
      });
      await assertAnswers(server);
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
      assert.ok(existsSync(join(image.data, 'floe.db')));
      const probe = "require('fs').writeFileSync('/probe', '')";
      const node = ['/usr/local/bin/node', '-e'];
      assert.throws(() => run('/usr/bin/unshare', image.args([...node, probe]), { env }), /EROFS/);
      const health = { env: { ...env, FLOE_PORT: new URL(server.url).port } };
      const check = config.Healthcheck.Test.slice(1);
      // Its timeout of 4 s is not for an emulated process on a busy machine.
      if (!image.isEmulated) run('/usr/bin/unshare', image.args(check), health);
      assert.equal(await server.stop(), 0);
      assert.throws(() => run('/usr/bin/unshare', image.args(check), health), /ended with 1/);
    });

    test(`${architecture}: it has no shell and no setuid program`, (t) => {
      const { dir } = openImage(t, architecture);
      const programs = run('find', [dir, '-type', 'f', '-perm', '/111'], { env }).trim().split('\n');
      const names = programs.map((path) => path.slice(dir.length)).sort();
      const loaders = names.filter((name) => /^\/usr\/lib\/[\w-]+\/ld-linux-[\w-]+\.so\.\d$/.test(name));
      assert.deepEqual(
        names.filter((name) => !loaders.includes(name)),
        ['/opt/floe/bin/floe-hook.mjs', '/opt/floe/bin/floe.mjs', '/usr/local/bin/node'],
      );
      assert.equal(run('find', [dir, '-perm', '/6000'], { env }), '');
    });
  }

  test('buildah reads the image, builds the same one from deploy/Dockerfile, and the result serves', async (t) => {
    const home = emptyDirectory(t);
    chmodSync(home, 0o755);
    const storage = [
      '--root',
      join(home, 'storage'),
      '--runroot',
      join(home, 'run'),
      '--storage-driver',
      'vfs',
    ];
    const buildah = (...args) =>
      run('buildah', [...storage, ...args], { env: { ...env, HOME: home } }).trim();
    const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
    const archive = artifact(`floe-${VERSION}-image-${architecture}.oci.tar`);
    const pulled = buildah('pull', `oci-archive:${archive}`);
    const read = JSON.parse(buildah('inspect', '--type', 'image', pulled)).OCIv1;
    assert.deepEqual(read.config.Entrypoint, readImage(t, architecture).config.config.Entrypoint);
    const build = ['--isolation', 'chroot', '--format', 'docker', '--build-arg', `VERSION=${VERSION}`];
    const file = join(root, 'deploy/Dockerfile');
    buildah('bud', ...build, '--arch', architecture, '-f', file, '-t', 'floe:test', artifact('.'));
    const { config } = JSON.parse(buildah('inspect', '--type', 'image', 'floe:test')).Docker;
    const written = readImage(t, architecture).config.config;
    for (const name of [
      'User',
      'ExposedPorts',
      'Env',
      'Entrypoint',
      'Volumes',
      'WorkingDir',
      'StopSignal',
      'Healthcheck',
    ])
      assert.deepEqual(config[name], written[name], name);
    const container = buildah('from', '--pull-never', 'floe:test');
    const image = enterable(buildah('mount', container), join(home, 'data'), architecture);
    mkdirSync(image.data);
    chownSync(image.data, 65532, 65532);
    const server = await startServer(t, '/usr/bin/unshare', image.args(config.Entrypoint), {
      env: { ...env, FLOE_DATA_DIR: '/data' },
    });
    await assertAnswers(server);
    await server.stop();
    assert.ok(readdirSync(image.data).includes('floe.db'));
  });
});
