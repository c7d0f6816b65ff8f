// Tar archives with the same bytes for the same content: sorted entries, one time, numeric owners, no names of users.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const BLOCK = 512;
const compress = promisify(gzip);

/**
 * @typedef {object} Entry
 * @property {string} path without a leading or trailing slash
 * @property {'file' | 'directory' | 'link'} type
 * @property {number} mode permission bits
 * @property {Buffer} [data] of a file
 * @property {string} [target] of a link
 * @property {number} [owner] user and group id; 0 unless given
 */

/** @returns {Entry} */
export function fileEntry(path, data, mode = 0o644) {
  return { path, type: 'file', mode, data: Buffer.isBuffer(data) ? data : Buffer.from(data) };
}

/** @returns {Entry} */
export function directoryEntry(path, { mode = 0o755, owner = 0 } = {}) {
  return { path, type: 'directory', mode, owner };
}

/** @returns {Entry} */
export function linkEntry(path, target) {
  return { path, type: 'link', mode: 0o777, target };
}

/**
 * The files and links below a directory, at `prefix`. Files are 0644, or 0755 when their owner may execute them.
 *
 * @returns {Entry[]}
 */
export function listEntries(dir, prefix = '') {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const from = join(dir, entry.name);
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) return listEntries(from, path);
    if (entry.isSymbolicLink()) return [linkEntry(path, readlinkSync(from))];
    return [fileEntry(path, readFileSync(from), (statSync(from).mode & 0o100) === 0 ? 0o644 : 0o755)];
  });
}

/** The entries under another directory. */
export function below(prefix, entries) {
  return entries.map((entry) => ({ ...entry, path: `${prefix}/${entry.path}` }));
}

/**
 * A tar archive in the ustar format. Directories that hold an entry are added.
 *
 * @param {Entry[]} entries
 * @param {number} time modification time of every entry, in seconds since 1970
 * @throws Error when two entries have one path, or a path is too long for ustar
 */
export function createTar(entries, time) {
  const byPath = new Map();
  for (const entry of entries) {
    if (byPath.has(entry.path)) throw new Error(`two entries of the archive have the path ${entry.path}`);
    byPath.set(entry.path, entry);
  }
  for (const { path } of entries)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const parent = path.slice(0, at);
      if (!byPath.has(parent)) byPath.set(parent, directoryEntry(parent));
    }
  const sorted = [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const data = entry.data ?? Buffer.alloc(0);
    return [createHeader(entry, time), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** Level 6: level 9 takes three times as long for one percent. zlib writes no name and no time. */
export async function compressTar(entries, time) {
  return await compress(createTar(entries, time), { level: 6 });
}

const TYPE_FLAGS = { file: '0', link: '2', directory: '5' };

/** POSIX.1-1988 ustar header. */
function createHeader({ path, type, mode, data, target = '', owner = 0 }, time) {
  const header = Buffer.alloc(BLOCK);
  const { name, prefix } = splitPath(type === 'directory' ? `${path}/` : path);
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  if (Buffer.byteLength(target) > 100) throw new Error(`the target of the link ${path} is too long`);
  const fields = [
    [0, name],
    [100, octal(mode, 8)],
    [108, octal(owner, 8)],
    [116, octal(owner, 8)],
    [124, octal(data?.length ?? 0, 12)],
    [136, octal(time, 12)],
    [148, ' '.repeat(8)],
    [156, TYPE_FLAGS[type]],
    [157, target],
    [257, 'ustar\0' + '00'],
    [329, octal(0, 8)],
    [337, octal(0, 8)],
    [345, prefix],
  ];
  for (const [at, text] of fields) header.write(text, at);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** ustar has 100 bytes for the end of a path and 155 for the directories before it. */
function splitPath(path) {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const name = path.slice(at + 1);
    if (name !== '' && Buffer.byteLength(name) <= 100 && at <= 155)
      return { name, prefix: path.slice(0, at) };
  }
  throw new Error(`the path ${path} is too long for a tar archive`);
}
