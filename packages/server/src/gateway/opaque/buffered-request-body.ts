import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createId } from '../../core/ids.ts';
import { BodyChunks } from '../body-chunks.ts';
import type { RequestBodyCapacity } from '../client-call.ts';

/** Smaller bodies are kept in memory. */
const MAX_MEMORY_BYTES = 1024 * 1024;
const READ_CHUNK_BYTES = 256 * 1024;

/** Replacement bytes for the part of a body from `start` to `end`. */
export interface ByteReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Stores a complete request body, in memory if it is small and otherwise in an unlinked file. The
 * body can be sent several times.
 */
export class BufferedRequestBody {
  size = 0;
  #dir: string;
  readonly #capacity: RequestBodyCapacity | null;
  readonly #pieces = new BodyChunks();
  #whole: Buffer | null = null;
  #file: FileHandle | null = null;

  /** @param capacity limits the memory and the disk space that the body uses; null if they are not limited */
  constructor(dir: string, capacity: RequestBodyCapacity | null) {
    this.#dir = dir;
    this.#capacity = capacity;
  }

  /** Appends bytes. Resolves when more can be appended. @throws Fault `overloaded` */
  async write(chunk: Buffer): Promise<void> {
    this.size += chunk.length;
    if (!this.#file && this.size <= MAX_MEMORY_BYTES && this.#hasMemory(chunk.length)) {
      this.#pieces.append(chunk);
      return;
    }
    const bytesInMemory = this.#file ? 0 : this.size - chunk.length;
    if (this.#capacity?.tryTakeBodyDiskBytes(bytesInMemory + chunk.length) === false)
      throw this.#capacity.reject('body_disk');
    if (!this.#file) {
      this.#file = await createUnlinkedFile(this.#dir);
      await this.#file.write(this.#pieces.take());
      this.#capacity?.releaseBodyBytes(bytesInMemory);
    }
    await this.#file.write(chunk);
  }

  #hasMemory(bytes: number): boolean {
    return this.#capacity === null || this.#capacity.tryTakeBodyBytes(bytes);
  }

  /** Returns the length of the body with the replacement. */
  lengthWith(replacement: ByteReplacement | null): number {
    if (!replacement) return this.size;
    return this.size - (replacement.end - replacement.start) + Buffer.byteLength(replacement.text);
  }

  /** Returns the body as a stream with the replacement. */
  read(replacement: ByteReplacement | null): Readable {
    return Readable.from(this.#readPieces(replacement), {
      objectMode: false,
      highWaterMark: READ_CHUNK_BYTES,
    });
  }

  async close(): Promise<void> {
    this.#whole = null;
    await this.#file?.close();
    this.#file = null;
  }

  async *#readPieces(replacement: ByteReplacement | null): AsyncGenerator<Buffer> {
    if (!replacement) return yield* this.#range(0, this.size);
    yield* this.#range(0, replacement.start);
    if (replacement.text !== '') yield Buffer.from(replacement.text);
    yield* this.#range(replacement.end, this.size);
  }

  async *#range(from: number, to: number): AsyncGenerator<Buffer> {
    if (!this.#file) {
      this.#whole ??= this.#pieces.take();
      if (from < to) yield this.#whole.subarray(from, to);
      return;
    }
    for (let at = from; at < to; ) {
      const buffer = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, to - at));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error('the temporary file of a request body is shorter than the body');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

/** The file is unlinked immediately, so nothing remains if the process ends. */
async function createUnlinkedFile(dir: string): Promise<FileHandle> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, createId('req', Date.now()));
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
