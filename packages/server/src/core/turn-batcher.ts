/**
 * Gathers what comes up in one turn of the event loop and does it in one go once everything that waited to be read has
 * been: neighbours find the same code warm, and whoever they write to awake (decisions/0016-hot-path-coding-rules.md).
 */
export class TurnBatcher<Item> {
  readonly #each: (item: Item) => void;
  #due: Item[] = [];

  /** `each` must not throw: what comes after it in the same turn would be lost. */
  constructor(each: (item: Item) => void) {
    this.#each = each;
  }

  add(item: Item): void {
    if (this.#due.push(item) > 1) return;
    const run = () => {
      const due = this.#due;
      this.#due = [];
      for (const each of due) this.#each(each);
    };
    setImmediate(run);
  }
}
