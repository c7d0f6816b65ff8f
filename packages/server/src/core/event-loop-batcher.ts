/**
 * Collects the items of one event loop turn, and processes them together after all pending reads. Processing
 * similar items together makes better use of CPU caches and connections
 * (decisions/0016-hot-path-coding-rules.md).
 */
export class EventLoopBatcher<Item> {
  readonly #each: (item: Item) => void;
  #due: Item[] = [];

  /** @param each must not throw, because the remaining items of the turn would be lost */
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
