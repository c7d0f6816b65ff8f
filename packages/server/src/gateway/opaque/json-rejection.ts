import { Fault } from '@floe/contract/faults';
import type { UploadInspector } from './upload-stream.ts';

/** Blanks, and the bytes of a byte order mark and of UTF-16 and UTF-32 around ASCII characters. */
const SKIPPED: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x00]);
const OPENING: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b]);
/** Bytes that can follow the start of an object or list that is not empty. A file rarely starts with both. */
const CONTENT: ReadonlySet<number> = new Set([0x22, 0x7b, 0x5b]);

/**
 * Rejects a body that is JSON despite its content type. Floe does not search such a body for models and resources, and
 * some providers ignore the content type.
 */
export class JsonRejection implements UploadInspector {
  #isOpen = false;
  #isDecided = false;

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isDecided; at += 1) this.#examine(chunk[at] ?? 0);
  }

  end(): void {
    // A body without content contains no JSON.
  }

  #examine(byte: number): void {
    if (SKIPPED.has(byte)) return;
    if (!this.#isOpen && OPENING.has(byte)) {
      this.#isOpen = true;
      return;
    }
    this.#isDecided = true;
    if (!this.#isOpen || !CONTENT.has(byte)) return;
    throw new Fault(
      'unsupported_media_type',
      'The request body is JSON, but its content type is not application/json. Send the content type application/json.',
      { param: 'content-type' },
    );
  }
}
