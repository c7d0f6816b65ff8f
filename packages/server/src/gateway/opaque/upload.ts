import { Readable } from 'node:stream';
import { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Client } from '../client.ts';
import { ClientGone } from '../client.ts';

/** Bodies that pass without being read whole (product page, "Errors"). */
export const UPLOAD_BYTES = 512 * 1024 * 1024;
const IDLE_MS = 30_000;

export interface UploadWatcher {
  /** Bytes went up. */
  onProgress(): void;
}

/** Looks at a body while it passes; each may throw the `Fault` that ends it before it is whole. */
export interface Inspection {
  push(chunk: Buffer): void;
  /** The client's last byte has come. */
  end(): void;
}

/**
 * A request body on its way up, read from the client no faster than the upstream takes it. Ends with
 * `request_too_large` past 512 MB, `request_timeout` when the client stalls for 30 s while there is room, and
 * `ClientGone`. It can be sent once.
 */
export class Upload extends Readable {
  bytes = 0;
  #source: Readable;
  #clock: Clock;
  #inspection: Inspection | null;
  #watcher: UploadWatcher | null = null;
  #idle: Timer | null = null;
  #heard = 0;
  #begun = false;
  #over = false;

  constructor(client: Client, clock: Clock, inspection: Inspection | null = null) {
    super();
    this.#source = client.incoming;
    this.#clock = clock;
    this.#inspection = inspection;
    // What ends it early is told by whoever sends it; unheard it would end the process.
    this.on('error', () => this.#stop());
  }

  /** Nothing of it was read yet: another attempt may still send it. */
  get fresh(): boolean {
    return !this.#begun;
  }

  watch(watcher: UploadWatcher): void {
    this.#watcher = watcher;
  }

  override _read(): void {
    if (this.#begun) return void this.#source.resume();
    this.#begun = true;
    this.#heard = this.#clock.monotonic();
    this.#idle = this.#clock.after(IDLE_MS, () => this.#ring());
    const take = (chunk: Buffer) => this.#take(chunk);
    const whole = () => this.#end();
    const gone = () => this.#fail(new ClientGone('the client left while sending its request'));
    this.#source.on('data', take).on('end', whole).on('close', gone).on('error', gone);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stop();
    done(error);
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    this.#heard = this.#clock.monotonic();
    this.bytes += chunk.length;
    if (this.bytes > UPLOAD_BYTES)
      return this.#fail(new Fault('request_too_large', 'The request body is larger than 512 MB.'));
    if (!this.#passes((inspection) => inspection.push(chunk))) return;
    this.#watcher?.onProgress();
    if (!this.push(chunk)) this.#source.pause();
  }

  #ring(): void {
    // A paused client is not slow: the upstream is.
    if (this.#source.isPaused()) this.#heard = this.#clock.monotonic();
    const left = this.#heard + IDLE_MS - this.#clock.monotonic();
    if (left > 0) this.#idle = this.#clock.after(left, () => this.#ring());
    else this.#fail(new Fault('request_timeout', 'The request body stopped arriving for 30 seconds.'));
  }

  #end(): void {
    if (this.#over || !this.#passes((inspection) => inspection.end())) return;
    this.#stop();
    this.push(null);
  }

  #passes(look: (inspection: Inspection) => void): boolean {
    try {
      if (this.#inspection) look(this.#inspection);
      return true;
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#stop();
    this.destroy(error);
  }

  #stop(): void {
    this.#over = true;
    this.#idle?.cancel();
  }
}
