const OPEN_TAG = '<think>';
const CLOSE_TAG = '</think>';
/** More white space than this before a tag is content. */
const MAX_LEADING_SPACE = 64;

/**
 * Removes one `<think>…</think>` at the start of a text that arrives in pieces, with the white space
 * before it and the line breaks after it. A tag may be split over pieces. Reasoning that starts
 * without a tag is not guessed.
 */
export class ThinkTagStripper {
  #state: 'start' | 'inside' | 'after' | 'through' = 'start';
  /** At the start: what may still become a tag. Inside: the end of the text, for a split closing tag. */
  #pending = '';

  /** True once the text can no longer change: pieces need not be pushed any more. */
  get isDone(): boolean {
    return this.#state === 'through';
  }

  /** True when text waits that `flush` would give. */
  get hasPending(): boolean {
    return this.#state === 'start' && this.#pending !== '';
  }

  /** Takes the next piece and gives the text to show for it. */
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

  /** Ends the text: gives back what waited for a tag that did not come. */
  flush(): string {
    const held = this.hasPending ? this.#pending : '';
    this.#pending = '';
    if (this.#state === 'start') this.#state = 'through';
    return held;
  }
}
