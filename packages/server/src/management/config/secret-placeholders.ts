/** Names for secrets that are not told: `${OPENAI_DEFAULT_KEY}`, each with what it stands for. */
export class SecretPlaceholders {
  readonly #descriptions = new Map<string, string>();

  /** A placeholder of a name made from `parts`; the same parts of another thing get a number. */
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

  /** One line for each: what to set. */
  describeAll(): string[] {
    return [...this.#descriptions].map(([name, description]) => `  ${name}: ${description}`);
  }
}
