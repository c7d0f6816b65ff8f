const VARIABLE_NAME = /^[A-Za-z_]\w*$/;

/** An environment variable that the new configuration references and that the user must set. */
export interface RequiredEnvironmentVariable {
  readonly name: string;
  /** Source fields that contain its value. */
  readonly fields: readonly string[];
  /** Whether the source contains the value, so that `--secrets-file` can write it. */
  readonly isLiteral: boolean;
}

/**
 * Replaces secrets with references to environment variables. Only `formatFile` returns the secret values,
 * because no other output of the import may contain them.
 */
export class SecretVariables {
  readonly #literals = new Map<string, string>();
  readonly #names = new Map<string, string[]>();

  /** Returns `${NAME}` for an environment variable. Null for a name that floe.yaml cannot reference. */
  refer(name: string, field: string): string | null {
    if (!VARIABLE_NAME.test(name)) return null;
    this.#addField(name, field);
    return `\${${name}}`;
  }

  /** Returns `${FLOE_IMPORT_…}` for a literal. Equal values share a variable. */
  replace(value: string, field: string): string {
    const known = this.#literals.get(value);
    const name = known ?? this.#createName(field);
    this.#literals.set(value, name);
    this.#addField(name, field);
    return `\${${name}}`;
  }

  required(): readonly RequiredEnvironmentVariable[] {
    const literals = new Set(this.#literals.values());
    return [...this.#names].map(([name, fields]) => ({ name, fields, isLiteral: literals.has(name) }));
  }

  /** Formats lines for a shell, systemd or `node --env-file`. */
  formatFile(): string {
    const quote = (value: string) => `'${value.replaceAll("'", "'\\''")}'`;
    return [...this.#literals].map(([value, name]) => `${name}=${quote(value)}\n`).join('');
  }

  #addField(name: string, field: string): void {
    const fields = this.#names.get(name) ?? [];
    if (!fields.includes(field)) this.#names.set(name, [...fields, field]);
  }

  #createName(field: string): string {
    const base = `FLOE_IMPORT_${field.replaceAll(/\W+/g, '_').replace(/_+$/, '').toUpperCase()}`.slice(
      0,
      100,
    );
    for (let n = 1; ; n += 1) {
      const name = n === 1 ? base : `${base}_${n}`;
      if (!this.#names.has(name)) return name;
    }
  }
}
