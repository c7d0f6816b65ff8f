// The versions of shared libraries that a Linux program needs, read from its ELF file: no tool of the machine is needed, and
// programs of other architectures can be read as well. Source: the Linux Standard Base, "Symbol Versioning" (Elfxx_Verneed).

const ELF64_LITTLE_ENDIAN = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const SHT_GNU_VERNEED = 0x6ffffffe;

/**
 * The symbol versions that a program needs, such as `GLIBC_2.28`, by library.
 *
 * @param {Buffer} file a 64-bit little-endian ELF file
 * @returns {Map<string, string[]>} empty for a static program
 * @throws Error when the file is no such ELF file
 */
export function readVersionNeeds(file) {
  if (!file.subarray(0, 6).equals(ELF64_LITTLE_ENDIAN))
    throw new Error('not a 64-bit little-endian ELF file');
  const sections = sectionsOf(file);
  const section = sections.find(({ type }) => type === SHT_GNU_VERNEED);
  const needs = new Map();
  if (section === undefined) return needs;
  const names = sections[section.link].offset;
  let at = section.offset;
  for (let left = section.info; left > 0; left -= 1) {
    const library = textAt(file, names + file.readUInt32LE(at + 4));
    needs.set(library, versionsOf(file, at, names));
    at += file.readUInt32LE(at + 12);
  }
  return needs;
}

/**
 * The highest version of one kind, such as `2.28` of `GLIBC`, or null when the program needs none.
 *
 * @param {Map<string, string[]>} needs
 * @param {string} kind `GLIBC`, `GLIBCXX` or another prefix of symbol versions
 */
export function highestVersion(needs, kind) {
  const numbers = [...needs.values()]
    .flat()
    .filter((version) => version.startsWith(`${kind}_`))
    .map((version) => version.slice(kind.length + 1));
  return numbers.sort(compareVersions).at(-1) ?? null;
}

/** Negative when `one` is older than `other`; both are numbers with dots. */
export function compareVersions(one, other) {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function sectionsOf(file) {
  const start = Number(file.readBigUInt64LE(0x28));
  const size = file.readUInt16LE(0x3a);
  return Array.from({ length: file.readUInt16LE(0x3c) }, (_, index) => {
    const at = start + index * size;
    return {
      type: file.readUInt32LE(at + 4),
      offset: Number(file.readBigUInt64LE(at + 24)),
      link: file.readUInt32LE(at + 40),
      info: file.readUInt32LE(at + 44),
    };
  });
}

/** The versions of one library; its entry is at `need`. */
function versionsOf(file, need, names) {
  const versions = [];
  let at = need + file.readUInt32LE(need + 8);
  for (let left = file.readUInt16LE(need + 2); left > 0; left -= 1) {
    versions.push(textAt(file, names + file.readUInt32LE(at + 8)));
    at += file.readUInt32LE(at + 12);
  }
  return versions;
}

function textAt(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}
