import { newId } from '../core/ids.ts';
import { appendAudit } from '../store/audit.ts';
import type { Writer } from '../store/ports.ts';
import { isPlace } from './file-place.ts';

/** How objects of one kind are written that stand in floe.yaml. */
export interface FileKind<Row extends { readonly org_id: string }> {
  /** Subject of the audit actions: `teams`, `keys` … */
  readonly kind: string;
  /** What the audit log calls one. */
  subjectOf(row: Row): string;
  /** One as the audit log keeps it, without secrets. */
  shown(row: Row, nowMs: number): object;
  insert(writer: Writer, row: Row): Promise<unknown>;
  update(writer: Writer, row: Row, change: Partial<Row>): Promise<unknown>;
  /** Absent where none is ever removed with the file. */
  remove?(writer: Writer, row: Row): Promise<unknown>;
}

interface Stamps {
  readonly updated_at: number;
  readonly updated_by: string;
}

/** Writes what floe.yaml says of objects of one kind. Every difference is audited with the actor `file`. */
export class FileWriter<Row extends { readonly org_id: string }> {
  readonly nowMs: number;
  readonly #kind: FileKind<Row>;
  readonly #writer: Writer;

  constructor(kind: FileKind<Row>, writer: Writer, nowMs: number) {
    this.#kind = kind;
    this.#writer = writer;
    this.nowMs = nowMs;
  }

  get stamps(): Stamps {
    return { updated_at: this.nowMs, updated_by: 'file' };
  }

  async create(row: Row): Promise<void> {
    await this.#kind.insert(this.#writer, row);
    await this.#audit('create', null, row);
  }

  /** Equal columns write nothing. That one moved in the file is written down, and is no change of it. */
  async change(row: Row, columns: Partial<Row>, action = 'update'): Promise<void> {
    const stored: Readonly<Record<string, unknown>> = { ...row };
    const differs = Object.entries(columns).filter(([column, value]) => stored[column] !== value);
    if (differs.length === 0) return;
    const isMoved = differs.every(([column]) => isPlace(column));
    const changed = isMoved ? columns : { ...columns, ...this.stamps };
    await this.#kind.update(this.#writer, row, changed);
    if (!isMoved) await this.#audit(action, row, { ...row, ...changed });
  }

  async remove(row: Row): Promise<void> {
    await this.#kind.remove?.(this.#writer, row);
    await this.#audit('delete', row, null);
  }

  async #audit(action: string, before: Row | null, after: Row | null): Promise<void> {
    const { kind, subjectOf, shown } = this.#kind;
    const row = after ?? before;
    if (row === null) return;
    await appendAudit(this.#writer, {
      id: newId('aud', this.nowMs),
      org_id: row.org_id,
      at: this.nowMs,
      actor: 'file',
      action: `${kind}.${action}`,
      subject: subjectOf(row),
      before_json: before && JSON.stringify(shown(before, this.nowMs)),
      after_json: after && JSON.stringify(shown(after, this.nowMs)),
    });
  }
}
