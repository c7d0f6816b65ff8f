/**
 * Creates placeholders such as `${OPENAI_DEFAULT_KEY}` for the secrets that an export omits, and
 * describes each of them.
 */
export class SecretPlaceholders {
  readonly #descriptions = new Map<string, string>();

  /** Creates a placeholder named after `parts`. If the name is taken, it adds a number. */
  create(parts: readonly string[], description: string): string {
    const requested = parts
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const base = /^[A-Z]/.test(requested) ? requested : `SECRET_${requested}`;
    let name = base;
    for (let n = 2; this.#descriptions.has(name); n++) name = `${base}_${n}`;
    this.#descriptions.set(name, description);
    return `\${${name}}`;
  }

  /** Returns one line per placeholder that says which secret to set. */
  describeAll(): string[] {
    return [...this.#descriptions].map(([name, description]) => `  ${name}: ${description}`);
  }
}
