const OPEN_TAG = '<think>';
const CLOSE_TAG = '</think>';
/** If more white space precedes a tag, the tag is content. */
const MAX_LEADING_SPACE = 64;

/**
 * Removes one `<think>…</think>` at the start of streamed text, with the white space before it and the
 * line breaks after it. A tag may be split across chunks. Reasoning without an opening tag is not
 * detected.
 */
export class ThinkTagStripper {
  #state: 'start' | 'inside' | 'after' | 'through' = 'start';
  /**
   * At the start: text that may become a tag. Within the tag: the end of the text, for a split closing tag.
   */
  #pending = '';

  /** Whether further chunks will not be changed, so they need not be pushed. */
  get isDone(): boolean {
    return this.#state === 'through';
  }

  /** Whether `flush` would return text. */
  get hasPending(): boolean {
    return this.#state === 'start' && this.#pending !== '';
  }

  /** Takes the next chunk and returns the text without reasoning. */
  push(piece: string): string {
    let rest = this.#pending + piece;
    this.#pending = '';
    if (this.#state === 'start') {
      const text = rest.trimStart();
      if (rest.length - text.length > MAX_LEADING_SPACE) this.#state = 'through';
      else if (text.startsWith(OPEN_TAG)) {
        this.#state = 'inside';
        rest = text.slice(OPEN_TAG.length);
      } else if (OPEN_TAG.startsWith(text)) {
        this.#pending = rest;
        return '';
      } else this.#state = 'through';
    }
    if (this.#state === 'inside') {
      const close = rest.indexOf(CLOSE_TAG);
      if (close === -1) {
        this.#pending = rest.slice(1 - CLOSE_TAG.length);
        return '';
      }
      this.#state = 'after';
      rest = rest.slice(close + CLOSE_TAG.length);
    }
    if (this.#state === 'after') {
      rest = rest.replace(/^[\r\n]+/, '');
      if (rest !== '') this.#state = 'through';
    }
    return rest;
  }

  /** Ends the text and returns what was held back for a possible tag. */
  flush(): string {
    const held = this.hasPending ? this.#pending : '';
    this.#pending = '';
    if (this.#state === 'start') this.#state = 'through';
    return held;
  }
}
