// The container image, written without a container runtime: two layers, a configuration and a manifest in an OCI layout.
// The base layer has the system libraries and Node.js; the same in each release until one of their versions changes.
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hashOf } from './cache.mjs';
import { extractDebianPackages, readPins } from './debian.mjs';
import { below, compressTar, createTar, directoryEntry, fileEntry, linkEntry, listEntries } from './tar.mjs';

/** The user `nonroot` of the image. */
const USER = 65532;
const HOME = 'opt/floe';
const NODE = '/usr/local/bin/node';
/** What Node.js and glibc's name resolution load. */
const LIBRARIES = [
  'libatomic.so.1',
  'libc.so.6',
  'libdl.so.2',
  'libgcc_s.so.1',
  'libm.so.6',
  'libnss_dns.so.2',
  'libnss_files.so.2',
  'libpthread.so.0',
  'libresolv.so.2',
  'librt.so.1',
  'libstdc++.so.6',
];
/** The program interpreter that the architecture's ABI names, and where Debian has it. */
const LOADERS = {
  amd64: ['usr/lib64/ld-linux-x86-64.so.2', '../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2'],
  arm64: ['usr/lib/ld-linux-aarch64.so.1', 'aarch64-linux-gnu/ld-linux-aarch64.so.1'],
};

/**
 * The base layer, gzip: system libraries, Node.js, and the files that name the user.
 *
 * @param {{ architecture: string, libraries: string }} platform
 * @param {{ program: Buffer, license: Buffer }} node
 */
export async function buildBaseLayer(platform, node) {
  const dir = mkdtempSync(join(tmpdir(), 'floe-debian-'));
  try {
    extractDebianPackages(platform.architecture, dir);
    const entries = [
      ...listLibraries(dir, platform),
      ...listEntries(join(dir, 'var/lib/dpkg/status.d'), 'var/lib/dpkg/status.d'),
      ...listCopyrights(dir),
      fileEntry(NODE.slice(1), node.program, 0o755),
      fileEntry('usr/share/doc/node/LICENSE', node.license),
      fileEntry('etc/passwd', `root:x:0:0:root:/:/none\nnonroot:x:${USER}:${USER}:nonroot:/data:/none\n`),
      fileEntry('etc/group', `root:x:0:\nnonroot:x:${USER}:\n`),
      fileEntry('etc/nsswitch.conf', 'hosts: files dns\n'),
      fileEntry('etc/os-release', 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_ID="13"\n'),
    ];
    return await compressTar(entries, Date.parse(readPins().date) / 1000);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The loader and the libraries, each with the links that lead to it. */
function listLibraries(dir, { architecture, libraries }) {
  const home = `usr/lib/${libraries}`;
  const [loader, target] = LOADERS[architecture];
  const program = `${home}/${target.slice(target.lastIndexOf('/') + 1)}`;
  const files = LIBRARIES.flatMap((name) => {
    const path = join(dir, home, name);
    if (!existsSync(path)) throw new Error(`the Debian packages have no ${name} for ${architecture}`);
    const real = readLinkOrNull(path);
    return real === null
      ? [fileEntry(`${home}/${name}`, readFileSync(path))]
      : [linkEntry(`${home}/${name}`, real), fileEntry(`${home}/${real}`, readFileSync(path))];
  });
  const links = [linkEntry('lib', 'usr/lib'), linkEntry(loader, target)];
  if (loader.startsWith('usr/lib64/')) links.push(linkEntry('lib64', 'usr/lib64'));
  return [...links, fileEntry(program, readFileSync(join(dir, program)), 0o755), ...files];
}

function readLinkOrNull(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The license texts that Debian distributes with the packages; some share the directory of another one. */
function listCopyrights(dir) {
  return listEntries(join(dir, 'usr/share/doc'), 'usr/share/doc').filter(
    ({ path, type }) => type === 'link' || path.endsWith('/copyright'),
  );
}

/**
 * The layer with Floe, gzip. It is the same for every architecture.
 *
 * @param {import('./tar.mjs').Entry[]} entries the npm package
 */
export async function buildAppLayer(entries, time) {
  const healthcheck = readFileSync(join(import.meta.dirname, 'package/healthcheck.mjs'));
  const files = [...below(HOME, entries), fileEntry(`${HOME}/healthcheck.mjs`, healthcheck)];
  return await compressTar([...files, directoryEntry('data', { mode: 0o750, owner: USER })], time);
}

/**
 * An image as a tar archive in the OCI image layout. It also has the manifest that `docker load` of older versions reads.
 *
 * @param {{ version: string, commit: string, time: number }} release `time` in seconds since 1970
 */
export function buildImage(architecture, layers, release) {
  const blobs = new Map();
  const add = (mediaType, data) => {
    const digest = hashOf(data);
    blobs.set(`blobs/sha256/${digest}`, data);
    return { mediaType, digest: `sha256:${digest}`, size: data.length };
  };
  const addJson = (mediaType, value) => add(mediaType, Buffer.from(JSON.stringify(value)));
  const config = addJson(
    'application/vnd.oci.image.config.v1+json',
    createConfig(architecture, layers, release),
  );
  const manifest = addJson('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: layers.map((layer) => add('application/vnd.oci.image.layer.v1.tar+gzip', layer)),
  });
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...manifest,
        platform: { architecture, os: 'linux' },
        annotations: {
          'org.opencontainers.image.ref.name': release.version,
          // The name that Docker and containerd give the image when they load it.
          'io.containerd.image.name': `docker.io/library/floe:${release.version}`,
        },
      },
    ],
  };
  const pathOf = ({ digest }) => `blobs/${digest.replace(':', '/')}`;
  const legacy = [
    {
      Config: pathOf(config),
      RepoTags: [`floe:${release.version}`],
      Layers: layers.map((layer) => `blobs/sha256/${hashOf(layer)}`),
    },
  ];
  const entries = [
    fileEntry('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    fileEntry('index.json', JSON.stringify(index)),
    fileEntry('manifest.json', JSON.stringify(legacy)),
    ...[...blobs].map(([path, data]) => fileEntry(path, data)),
  ];
  return createTar(entries, release.time);
}

/** https://github.com/opencontainers/image-spec/blob/v1.1.1/config.md; `Healthcheck` is Docker's, others ignore it. */
function createConfig(architecture, layers, { version, commit, time }) {
  const created = new Date(time * 1000).toISOString();
  const seconds = (count) => count * 1_000_000_000;
  return {
    created,
    architecture,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '3563/tcp': {} },
      Env: ['PATH=/usr/local/bin', 'HOME=/data', 'FLOE_DATA_DIR=/data', 'FLOE_HOST=0.0.0.0'],
      Entrypoint: [NODE, `/${HOME}/server/bin/server.mjs`],
      Volumes: { '/data': {} },
      WorkingDir: '/data',
      StopSignal: 'SIGTERM',
      Labels: {
        'org.opencontainers.image.title': 'floe',
        'org.opencontainers.image.description': 'Self-hosted AI gateway with job monitoring',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': commit,
        'org.opencontainers.image.created': created,
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.base.name': 'scratch',
      },
      Healthcheck: {
        Test: ['CMD', NODE, `/${HOME}/healthcheck.mjs`],
        Interval: seconds(30),
        Timeout: seconds(5),
        StartPeriod: seconds(30),
        Retries: 3,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${hashOf(gunzipSync(layer))}`) },
    history: [
      { created, created_by: 'system libraries and Node.js' },
      { created, created_by: `floe ${version}` },
    ],
  };
}
