import { diskSpoolFileSystem, type SpoolFileSystem } from '../spool-file-system.ts';

export interface FaultySpoolFiles extends SpoolFileSystem {
  /** Error code of writes, which all fail after half of their bytes. Null for success. */
  writeFault: string | null;
  createFault: string | null;
  syncFault: string | null;
  syncs: number;
}

function fault(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Creates file operations on the real disk with faults that a test can turn on. */
export function createFaultySpoolFiles(): FaultySpoolFiles {
  const files: FaultySpoolFiles = {
    ...diskSpoolFileSystem,
    writeFault: null,
    createFault: null,
    syncFault: null,
    syncs: 0,
    async create(path) {
      if (files.createFault) throw fault(files.createFault);
      const file = await diskSpoolFileSystem.create(path);
      return {
        async write(bytes, position) {
          if (!files.writeFault) return file.write(bytes, position);
          await file.write(bytes.subarray(0, bytes.length / 2), position);
          throw fault(files.writeFault);
        },
        async sync() {
          files.syncs += 1;
          if (files.syncFault) throw fault(files.syncFault);
          await file.sync();
        },
        close: () => file.close(),
      };
    },
  };
  return files;
}
