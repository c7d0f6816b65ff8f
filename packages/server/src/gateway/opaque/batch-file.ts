import { Fault } from '@floe/contract/faults';
import { isObject } from '@floe/contract/json';
import type { Field, MultipartEvents } from './multipart-scan.ts';

/** A longer line of a batch cannot be judged. */
const LINE_BYTES = 32 * 1024 * 1024;

/**
 * Reads an uploaded file line by line while it passes: in the input of a batch every line is a request, and the
 * model it names must be allowed. Other files have no such lines. Throws before the upload is whole.
 */
export class BatchFileCheck implements MultipartEvents {
  #judge: (model: string) => void;
  #purpose: string | null = null;
  #line: Buffer[] = [];
  #size = 0;
  #overlong = false;
  /** The first line is no JSON object: the file is something else, and the rest is passed over. */
  #other = false;
  #first = true;

  constructor(judge: (model: string) => void) {
    this.#judge = judge;
  }

  field(name: string, { value }: Field): void {
    if (name === 'purpose') this.#purpose = value;
    this.#refuseOverlong();
  }

  file(piece: Buffer): void {
    let from = 0;
    for (let at = piece.indexOf(0x0a); at !== -1 && !this.#other; at = piece.indexOf(0x0a, from)) {
      this.#hold(piece.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    if (!this.#other) this.#hold(piece.subarray(from));
  }

  fileEnd(): void {
    if (!this.#other) this.#endLine();
    this.#line = [];
    this.#refuseOverlong();
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#first && this.#size === 0) {
      this.#first = false;
      this.#other = !startsObject(piece);
    }
    this.#size += piece.length;
    if (this.#size <= LINE_BYTES && !this.#other) this.#line.push(piece);
    else this.#line = [];
  }

  #endLine(): void {
    if (this.#size > LINE_BYTES) this.#overlong = true;
    else if (this.#size > 0) this.#judgeLine(Buffer.concat(this.#line).toString('utf8'));
    this.#line = [];
    this.#size = 0;
  }

  #judgeLine(text: string): void {
    if (!text.includes('model')) return;
    for (const model of modelsIn(text)) this.#judge(model);
  }

  #refuseOverlong(): void {
    if (this.#overlong && this.#purpose === 'batch')
      throw new Fault('request_too_large', 'A line of this batch is larger than 32 MB.', { param: 'file' });
  }
}

/** White space and a byte order mark may come first. */
function startsObject(piece: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s*(?:\{|$)/.test(piece.toString('latin1', 0, 64));
}

function modelsIn(line: string): string[] {
  let request: unknown;
  try {
    request = JSON.parse(line.replace(/^\ufeff/, ''));
  } catch {
    return [];
  }
  if (!isObject(request)) return [];
  const { body, params } = request;
  return [body, params]
    .map((inner) => (isObject(inner) ? inner['model'] : undefined))
    .filter((model) => typeof model === 'string');
}
