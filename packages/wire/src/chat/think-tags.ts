const OPEN = '<think>';
const CLOSE = '</think>';
/** More white space than this before a tag is content. */
const MAX_LEADING_SPACE = 64;

/**
 * Removes one `<think>…</think>` at the start of a text that arrives in pieces, with the white space
 * before it and the line breaks after it. A tag may be split over pieces. Reasoning that starts
 * without a tag is not guessed.
 */
export class ThinkTags {
  #state: 'start' | 'inside' | 'after' | 'through' = 'start';
  /** At the start: what may still become a tag. Inside: the end of the text, for a split closing tag. */
  #held = '';

  /** True once the text can no longer change: pieces need not be pushed any more. */
  get through(): boolean {
    return this.#state === 'through';
  }

  /** True when text waits that `flush` would give. */
  get holding(): boolean {
    return this.#state === 'start' && this.#held !== '';
  }

  /** Takes the next piece and gives the text to show for it. */
  push(piece: string): string {
    let rest = this.#held + piece;
    this.#held = '';
    if (this.#state === 'start') {
      const text = rest.trimStart();
      if (rest.length - text.length > MAX_LEADING_SPACE) this.#state = 'through';
      else if (text.startsWith(OPEN)) {
        this.#state = 'inside';
        rest = text.slice(OPEN.length);
      } else if (OPEN.startsWith(text)) {
        this.#held = rest;
        return '';
      } else this.#state = 'through';
    }
    if (this.#state === 'inside') {
      const close = rest.indexOf(CLOSE);
      if (close === -1) {
        this.#held = rest.slice(1 - CLOSE.length);
        return '';
      }
      this.#state = 'after';
      rest = rest.slice(close + CLOSE.length);
    }
    if (this.#state === 'after') {
      rest = rest.replace(/^[\r\n]+/, '');
      if (rest !== '') this.#state = 'through';
    }
    return rest;
  }

  /** Ends the text: gives back what waited for a tag that did not come. */
  flush(): string {
    const held = this.holding ? this.#held : '';
    this.#held = '';
    if (this.#state === 'start') this.#state = 'through';
    return held;
  }
}
