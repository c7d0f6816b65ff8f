/** Variables of a command text whose value the text itself says. */
export class Scope {
  readonly #values = new Map<string, string | null>();

  /** Notes an assignment. A second one, or one that nobody can follow, makes the value unknown again. */
  assign(name: string, value: string | null): void {
    this.#values.set(name, this.#values.has(name) ? null : value);
  }

  /** What `$name` probably is; null when nobody can tell. */
  guess(name: string): string | null {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    if (name === 'IFS') return ' ';
    if (name === 'HOME') return '~';
    // Arguments of the text itself, which has none.
    if (/^[@*1-9]$/.test(name)) return '';
    return null;
  }

  isAssigned(name: string): boolean {
    return this.#values.has(name);
  }
}
