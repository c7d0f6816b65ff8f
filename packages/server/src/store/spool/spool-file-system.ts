import { write } from 'node:fs';
import { appendFile, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createPrivateDirectory } from '../create-private-directory.ts';

/** The file operations that the spool uses. Tests replace them to simulate failures. */
export interface SpoolFileSystem {
  /** Creates the directory if it is missing, and lists its files with their sizes in bytes. */
  list(directory: string): Promise<readonly { readonly name: string; readonly size: number }[]>;
  /** Creates a file. Rejects if it already exists. */
  create(path: string): Promise<SpoolFile>;
  append(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** An open spool file. */
export interface SpoolFile {
  /**
   * Writes bytes at a position. Resolves when the operating system has them, so that they survive if the
   * process is killed.
   */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Syncs the file. Resolves when the disk has the bytes, so that they survive a power failure. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The implementation that uses files on disk. */
export const diskSpoolFileSystem: SpoolFileSystem = {
  async list(directory) {
    createPrivateDirectory(directory);
    const names = await readdir(directory);
    return Promise.all(names.map(async (name) => ({ name, size: (await stat(join(directory, name))).size })));
  },

  async create(path) {
    const handle = await open(path, 'wx', 0o600);
    let named = false;
    return {
      async write(bytes, position) {
        for (let done = 0; done < bytes.length; )
          done += await writeSome(handle.fd, bytes.subarray(done), position + done);
      },
      async sync() {
        await handle.datasync();
        // The name of a new file is in its directory, which must be synced separately (fsync(2)).
        if (!named) await syncDirectory(dirname(path));
        named = true;
      },
      close: () => handle.close(),
    };
  },

  async append(path, text) {
    await appendFile(path, text, { mode: 0o600 });
  },

  async remove(path) {
    await rm(path, { force: true });
  },
};

/**
 * Writes bytes with a callback, because a `FileHandle` creates three promises and an object per write, which
 * takes 15 µs.
 */
function writeSome(fd: number, bytes: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, position, (error, count) => (error ? reject(error) : resolve(count)));
  });
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
