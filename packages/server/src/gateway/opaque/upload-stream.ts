import { Readable } from 'node:stream';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { BodyDeadline } from '../body-deadline.ts';
import { type ClientCall, ClientDisconnectedError } from '../client-call.ts';

/** The maximum size of a request body that is forwarded without buffering. */
export const MAX_UPLOAD_BYTES = 512 * 1024 * 1024;

/** Callbacks that report the progress of an upload. */
export interface UploadCallbacks {
  /** Called when bytes have been sent. */
  onProgress(): void;
}

/**
 * Inspects a body while it is forwarded. Each method may throw a `Fault` to end the upload.
 */
export interface UploadInspector {
  push(chunk: Buffer): void;
  /** Called when the last byte of the body has arrived. */
  end(): void;
  /** Called after `end`. The last chunk of the body is forwarded only when the promise resolves. */
  verify?(): Promise<void>;
}

/**
 * A request body that is forwarded as it arrives, no faster than the provider reads it. Can be sent
 * only once. Fails with `request_too_large` above 512 MB, with `request_timeout` if the client
 * sends too slowly (`BodyDeadline`), or with `ClientDisconnectedError`.
 */
export class UploadStream extends Readable {
  bytes = 0;
  #source: Readable;
  #clock: Clock;
  #inspection: UploadInspector | null;
  #watcher: UploadCallbacks | null = null;
  #deadline: BodyDeadline | null = null;
  #isStarted = false;
  #isOver = false;
  /** The last chunk that arrived, if the inspection verifies the body before the end is forwarded. */
  #held: Buffer | null = null;

  constructor(client: ClientCall, clock: Clock, inspection: UploadInspector | null = null) {
    super();
    this.#source = client.incoming;
    this.#clock = clock;
    this.#inspection = inspection;
    // The sender of the upload reports the error. Without a listener it would end the process.
    this.on('error', () => this.#stop());
  }

  /** Whether nothing has been read yet, so that another attempt can still send the body. */
  get isUnsent(): boolean {
    return !this.#isStarted;
  }

  onUploadProgress(watcher: UploadCallbacks): void {
    this.#watcher = watcher;
  }

  override _read(): void {
    if (this.#isStarted) {
      // The client was paused because the provider is slow. This time does not count.
      if (this.#source.isPaused()) this.#startDeadline();
      return void this.#source.resume();
    }
    this.#isStarted = true;
    this.#startDeadline();
    const take = (chunk: Buffer) => this.#onChunk(chunk);
    const whole = () => this.#end();
    const gone = () =>
      this.#fail(new ClientDisconnectedError('the client disconnected while sending its request'));
    this.#source.on('data', take).on('end', whole).on('close', gone).on('error', gone);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stop();
    done(error);
  }

  #onChunk(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#deadline?.received(chunk.length);
    this.bytes += chunk.length;
    if (this.bytes > MAX_UPLOAD_BYTES)
      return this.#fail(new Fault('request_too_large', 'The request body must be at most 512 MB.'));
    if (!this.#inspect((inspection) => inspection.push(chunk))) return;
    this.#watcher?.onProgress();
    const sent = this.#inspection?.verify ? this.#held : chunk;
    this.#held = chunk;
    if (sent === null || this.push(sent)) return;
    this.#source.pause();
    this.#deadline?.cancel();
  }

  #startDeadline(): void {
    this.#deadline?.cancel();
    this.#deadline = new BodyDeadline(this.#clock, (fault) => this.#fail(fault));
  }

  #end(): void {
    if (this.#isOver || !this.#inspect((inspection) => inspection.end())) return;
    this.#stop();
    if (this.#inspection?.verify) void this.#verifyEnd(this.#inspection.verify());
    else this.push(null);
  }

  async #verifyEnd(verified: Promise<void>): Promise<void> {
    try {
      await verified;
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.destroyed) return;
    if (this.#held !== null) this.push(this.#held);
    this.push(null);
  }

  #inspect(look: (inspection: UploadInspector) => void): boolean {
    try {
      if (this.#inspection) look(this.#inspection);
      return true;
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#stop();
    this.destroy(error);
  }

  #stop(): void {
    this.#isOver = true;
    this.#deadline?.cancel();
  }
}
