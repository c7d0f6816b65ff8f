const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * Splits `<think>…</think>` at the head of a text that arrives in pieces into reasoning and text. A tag
 * may be cut anywhere; a tag later in the text is text.
 */
export class ThinkSplit {
  #state: 'start' | 'inside' | 'text' = 'start';
  #held = '';

  /** Gives each piece with what it is, in order. */
  push(piece: string, give: (kind: 'reasoning' | 'text', text: string) => void): void {
    if (this.#state === 'text') {
      give('text', piece);
      return;
    }
    let rest = this.#held + piece;
    this.#held = '';
    if (this.#state === 'start') {
      const head = rest.trimStart();
      if (head.length < OPEN.length && OPEN.startsWith(head)) {
        this.#held = rest;
        return;
      }
      if (!head.startsWith(OPEN)) {
        this.#state = 'text';
        give('text', rest);
        return;
      }
      this.#state = 'inside';
      rest = head.slice(OPEN.length);
    }
    const close = rest.indexOf(CLOSE);
    if (close >= 0) {
      this.#state = 'text';
      give('reasoning', rest.slice(0, close));
      give('text', rest.slice(close + CLOSE.length).replace(/^[\r\n]+/, ''));
      return;
    }
    const keep = partialSuffix(rest);
    this.#held = rest.slice(rest.length - keep);
    give('reasoning', rest.slice(0, rest.length - keep));
  }

  /** The text ended: what was held for a tag that never came. */
  end(give: (kind: 'reasoning' | 'text', text: string) => void): void {
    if (this.#held !== '') give(this.#state === 'inside' ? 'reasoning' : 'text', this.#held);
    this.#held = '';
  }
}

/** Length of the longest end of `text` that could begin the closing tag. */
function partialSuffix(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1)
    if (CLOSE.startsWith(text.slice(text.length - length))) return length;
  return 0;
}
