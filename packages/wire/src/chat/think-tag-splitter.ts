const OPEN_TAG = '<think>';
const CLOSE_TAG = '</think>';
/** If more white space precedes a tag, the tag is text. */
const MAX_LEADING_SPACE = 64;

/**
 * Splits streamed text that starts with `<think>…</think>` into reasoning and text. A tag may be split
 * across chunks. Tags that occur later are treated as text.
 */
export class ThinkTagSplitter {
  #state: 'start' | 'inside' | 'after' | 'text' = 'start';
  #pending = '';

  /** Calls `give` with each part and its kind, in order. */
  push(piece: string, give: (kind: 'reasoning' | 'text', text: string) => void): void {
    if (this.#state === 'text') {
      give('text', piece);
      return;
    }
    let rest = this.#pending + piece;
    this.#pending = '';
    if (this.#state === 'start') {
      const head = rest.trimStart();
      const space = rest.length - head.length;
      if (space <= MAX_LEADING_SPACE && head.length < OPEN_TAG.length && OPEN_TAG.startsWith(head)) {
        this.#pending = rest;
        return;
      }
      if (!head.startsWith(OPEN_TAG)) {
        this.#state = 'text';
        give('text', rest);
        return;
      }
      this.#state = 'inside';
      rest = head.slice(OPEN_TAG.length);
    }
    const close = this.#state === 'inside' ? rest.indexOf(CLOSE_TAG) : 0;
    if (close >= 0) {
      if (this.#state === 'inside') {
        this.#state = 'after';
        give('reasoning', rest.slice(0, close));
        rest = rest.slice(close + CLOSE_TAG.length);
      }
      this.#text(rest, give);
      return;
    }
    const keep = partialSuffix(rest);
    this.#pending = rest.slice(rest.length - keep);
    give('reasoning', rest.slice(0, rest.length - keep));
  }

  /** Line breaks after the tag belong to the tag. */
  #text(rest: string, give: (kind: 'reasoning' | 'text', text: string) => void): void {
    const text = rest.replace(/^[\r\n]+/, '');
    if (text === '') return;
    this.#state = 'text';
    give('text', text);
  }

  /** Ends the text and emits what was held back for a possible tag. */
  end(give: (kind: 'reasoning' | 'text', text: string) => void): void {
    if (this.#pending !== '') give(this.#state === 'inside' ? 'reasoning' : 'text', this.#pending);
    this.#pending = '';
  }
}

/** Returns the length of the longest suffix of `text` that could start the closing tag. */
function partialSuffix(text: string): number {
  for (let length = Math.min(CLOSE_TAG.length - 1, text.length); length > 0; length -= 1)
    if (CLOSE_TAG.startsWith(text.slice(text.length - length))) return length;
  return 0;
}
