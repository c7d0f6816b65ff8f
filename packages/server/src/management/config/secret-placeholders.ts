import { randomUUID } from 'node:crypto';
import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { castToJson } from '../validate-input.ts';

/**
 * Creates placeholders such as `${PROVIDER_OPENAI_DEFAULT_KEY}` for the secrets that an export omits, and
 * describes each of them.
 */
export class SecretPlaceholders {
  readonly #descriptions = new Map<string, string>();
  /** The next number for a name that is taken, so that thousands of equal names do not take quadratic time. */
  readonly #nextNumbers = new Map<string, number>();
  /** The prefix of each placeholder until it is inserted. It is random, so that stored text cannot contain it. */
  readonly #mark = randomUUID();

  /**
   * Creates a placeholder named after `parts`, for use in an entry that is passed to `insertInto`. If the
   * name is taken, it adds a number.
   */
  create(parts: readonly string[], description: string): string {
    const requested = parts
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const base = /^[A-Z]/.test(requested) ? requested : `SECRET_${requested}`;
    let name = base;
    for (let n = this.#nextNumbers.get(base) ?? 2; this.#descriptions.has(name); n++) {
      name = `${base}_${n}`;
      this.#nextNumbers.set(base, n + 1);
    }
    this.#descriptions.set(name, description);
    return `${this.#mark}${name}}`;
  }

  /**
   * Returns the entry with `${NAME}` for each placeholder. Escapes every other `${`, so that floe.yaml does
   * not replace text of a resource with a variable or the content of a file.
   */
  insertInto(entry: object): JsonObject {
    const result = castToJson(this.#insertIntoValue(entry));
    return isJsonObject(result) ? result : {};
  }

  #insertIntoValue(value: unknown): unknown {
    if (typeof value === 'string') return escapeVariableReferences(value).replaceAll(this.#mark, () => '${');
    if (Array.isArray(value)) return value.map((inner) => this.#insertIntoValue(inner));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, this.#insertIntoValue(inner)]),
    );
  }

  /** Returns one line per placeholder that says which secret to set. */
  describeAll(): string[] {
    return [...this.#descriptions].map(([name, description]) => `  ${name}: ${description}`);
  }
}
