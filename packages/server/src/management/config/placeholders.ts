/** Names for secrets that are not told: `${OPENAI_DEFAULT_KEY}`, each with what it stands for. */
export class Placeholders {
  readonly #meanings = new Map<string, string>();

  /** A placeholder of a name made from `parts`; the same parts of another thing get a number. */
  for(parts: readonly string[], meaning: string): string {
    const wanted = parts
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const base = /^[A-Z]/.test(wanted) ? wanted : `SECRET_${wanted}`;
    let name = base;
    for (let n = 2; this.#meanings.has(name); n++) name = `${base}_${n}`;
    this.#meanings.set(name, meaning);
    return `\${${name}}`;
  }

  /** One line for each: what to set. */
  lines(): string[] {
    return [...this.#meanings].map(([name, meaning]) => `  ${name}: ${meaning}`);
  }
}
