import { escapeVariableReferences } from '@floe/contract/config/variable-references';
import type { FieldImportOutcome, ImportReport } from './import-report.ts';
import type { SecretVariables } from './secret-variables.ts';

/** The state that all parts of an import share. */
export interface ImportContext {
  readonly report: ImportReport;
  readonly secrets: SecretVariables;
  /** Problems of the source, with their locations and without values. */
  readonly problems: string[];
  /** Matches a reference to an environment variable in the source. The first group is its name. */
  readonly variablePattern: RegExp;
}

type PlainObject = Readonly<Record<string, unknown>>;

/** Returns whether a value is an object but not an array. */
export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An object in the imported file. The converter must read each field, or omit it with a reason. `finish`
 * reports all other fields as unknown, so that the report is complete. A field whose value has an unexpected
 * type is reported as a problem.
 */
export class ImportSourceObject {
  readonly path: string;
  readonly #members: PlainObject;
  readonly #context: ImportContext;
  readonly #group: string;
  readonly #read = new Set<string>();
  /** Children by field, so that repeated reads share their state. */
  readonly #children = new Map<string, ImportSourceObject>();

  constructor(members: PlainObject, path: string, group: string, context: ImportContext) {
    this.#members = members;
    this.path = path;
    this.#group = group;
    this.#context = context;
  }

  get context(): ImportContext {
    return this.#context;
  }

  names(): readonly string[] {
    return Object.keys(this.#members).filter((name) => this.#members[name] != null);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#members, name) && this.#members[name] != null;
  }

  /** Reads a field of any type. Null counts as absent. */
  raw(name: string): unknown {
    this.#read.add(name);
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined;
  }

  fieldPath(name: string): string {
    const step = /^[\w-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    return this.path === '' ? name : `${this.path}${step}`;
  }

  /** Reads text. Returns undefined for a reference to a variable. Not for secrets. */
  text(name: string): string | undefined {
    const value = this.#typed(name, 'a string', (one) => typeof one === 'string');
    if (typeof value !== 'string' || value === '') return undefined;
    const variable = this.#variable(value);
    if (variable === undefined) return value;
    this.note(
      name,
      'not_imported',
      'the import does not support variables in this field; set the value in floe.yaml',
    );
    return undefined;
  }

  /** Reads text for floe.yaml: literal text with `${` escaped, or a variable. */
  yamlText(name: string): string | undefined {
    const value = this.#typed(name, 'a string', (one) => typeof one === 'string');
    if (typeof value !== 'string' || value === '') return undefined;
    const variable = this.#variable(value);
    return variable === undefined ? escapeVariableReferences(value) : this.#refer(name, variable);
  }

  /** Reads a secret and returns a variable of floe.yaml for it. */
  secret(name: string): string | undefined {
    const value = this.#typed(name, 'a string', (one) => typeof one === 'string');
    if (typeof value !== 'string' || value === '') return undefined;
    const variable = this.#variable(value);
    if (variable !== undefined) return this.#refer(name, variable);
    const reference = this.#context.secrets.replace(value, this.fieldPath(name));
    this.note(name, 'changed', `became the variable ${reference}`);
    return reference;
  }

  /** Reads a literal secret, only to compute its hash. Undefined for a variable. */
  literalSecret(name: string): string | undefined {
    const value = this.#typed(name, 'a string', (one) => typeof one === 'string');
    return typeof value === 'string' && value !== '' && !this.#variable(value) ? value : undefined;
  }

  /** Reads the name of a secret that the other product resolves, such as that of a virtual key. */
  secretName(name: string): string | undefined {
    const value = this.text(name);
    if (value !== undefined)
      this.note(
        name,
        'changed',
        'became an environment variable that must contain the API key of the provider',
      );
    return value;
  }

  /** Marks all unread fields as not imported. Use it for objects that may contain secrets. */
  leaveOutSecrets(): void {
    this.leaveOutRest('Floe has no equivalent field');
    this.finish();
  }

  number(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && this.#variable(value) !== undefined) {
      this.note(
        name,
        'not_imported',
        'a variable cannot be converted to a number; set the number in floe.yaml',
      );
      return undefined;
    }
    const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof parsed === 'number' && Number.isFinite(parsed) && parsed >= 0) return parsed;
    this.problem(
      name,
      `must be a non-negative number, got ${typeof parsed === 'number' && parsed < 0 ? 'a negative number' : describeType(value)}`,
    );
    return undefined;
  }

  boolean(name: string): boolean | undefined {
    const value = this.#typed(name, 'true or false', (one) => typeof one === 'boolean');
    return typeof value === 'boolean' ? value : undefined;
  }

  list(name: string): readonly unknown[] {
    const value = this.#typed(name, 'a list', Array.isArray);
    return Array.isArray(value) ? value : [];
  }

  texts(name: string): readonly string[] {
    return this.list(name).flatMap((entry, index) => {
      if (typeof entry === 'string') return [entry];
      this.problem(name, `must be a string, got ${describeType(entry)}`, `[${index}]`);
      return [];
    });
  }

  object(name: string): ImportSourceObject | undefined {
    const value = this.#typed(name, 'a map of keys and values', isPlainObject);
    return isPlainObject(value) ? this.child(value, this.fieldPath(name)) : undefined;
  }

  /** Reads a list of objects. */
  objects(name: string): readonly ImportSourceObject[] {
    return this.list(name).flatMap((entry, index) => {
      const path = `${this.fieldPath(name)}[${index}]`;
      if (isPlainObject(entry)) return [this.child(entry, path)];
      this.problem(name, `must be a map of keys and values, got ${describeType(entry)}`, `[${index}]`);
      return [];
    });
  }

  child(members: PlainObject, path: string): ImportSourceObject {
    const known = this.#children.get(path);
    if (known) return known;
    const group = this.path === '' ? path : this.#group;
    const child = new ImportSourceObject(members, path, group.replace(/[[.].*$/, ''), this.#context);
    this.#children.set(path, child);
    return child;
  }

  problem(name: string, message: string, suffix = ''): void {
    this.#read.add(name);
    this.#context.problems.push(`${this.fieldPath(name)}${suffix}: ${message}`);
  }

  /** Records the outcome of a field. */
  note(name: string, outcome: FieldImportOutcome, note = ''): void {
    this.#read.add(name);
    this.#context.report.record({ group: this.#group, field: this.fieldPath(name), outcome, note });
  }

  /** Records for each of these fields why it is not imported, if it is set. */
  leaveOut(reasons: Readonly<Record<string, string>>): void {
    for (const [name, reason] of Object.entries(reasons))
      if (this.has(name)) this.note(name, 'not_imported', reason);
  }

  /** Records the same reason for every field that is set and was not read. */
  leaveOutRest(reason: string): void {
    for (const name of this.names()) if (!this.#read.has(name)) this.note(name, 'not_imported', reason);
  }

  /** Records the same reason for every field that is set. */
  leaveOutAll(reason: string): void {
    for (const name of this.names()) this.note(name, 'not_imported', reason);
  }

  /**
   * Reports each field once. Fields that were read without an outcome are imported. Fields that were not read
   * are unknown.
   */
  finish(): void {
    this.leaveOutRest('unknown field');
    for (const name of this.names()) {
      const isTold = this.#context.report.has(this.fieldPath(name));
      const value = this.#members[name];
      const isContainer = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
      if (!isTold && !isContainer) this.note(name, 'imported');
      else if (!isTold && Array.isArray(value) && !value.some(isPlainObject)) this.note(name, 'imported');
    }
  }

  #typed(name: string, expected: string, fits: (value: unknown) => boolean): unknown {
    const value = this.raw(name);
    if (value === undefined || fits(value)) return value;
    this.problem(name, `must be ${expected}, got ${describeType(value)}`);
    return undefined;
  }

  #variable(text: string): string | undefined {
    return this.#context.variablePattern.exec(text)?.[1];
  }

  #refer(name: string, variable: string): string {
    const { secrets } = this.#context;
    const field = this.fieldPath(name);
    return (
      secrets.refer(variable, field) ??
      secrets.replace(`replace this text with the value of ${variable}`, field)
    );
  }
}

/** Returns the type of a value for a message, such as `a list`. */
export function describeType(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'boolean' ? 'a boolean' : `a ${typeof value}`;
}
