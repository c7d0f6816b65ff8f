import type { ConfigIssue } from '@floe/contract/config/references';
import { Fault } from '@floe/contract/faults';
import { newId } from '../core/ids.ts';
import { appendAudits, type NewAudit } from '../store/audit.ts';
import type { Reader, Writer } from '../store/ports.ts';
import { type Declared, declaredIn, type FileText, type ListedKind } from './file-org.ts';
import { isPlace, type Placed } from './file-place.ts';
import { FileRefused } from './file-refused.ts';

interface FileRow extends Placed {
  /** Subject of its audit entries. */
  readonly id: string;
  readonly org_id: string;
  readonly updated_at?: number | null | undefined;
}

interface Stamps {
  readonly updated_at: number;
  readonly updated_by: string;
}

/** Columns of a new row: what the file says, where it says so, and who wrote it when. */
export type NewColumns<Columns> = Columns &
  Required<Placed> &
  Stamps & { readonly org_id: string; readonly created_at: number };

/** Columns that change. An object that only moved in the file has no stamps, one that is released only its place. */
export type ChangedColumns<Columns> = (Columns | object) & Required<Placed> & Partial<Stamps>;

/** A kind of object that floe.yaml has and the store keeps. */
export interface StoredListKind<Config, Row> extends ListedKind<Config> {
  /** Objects of every org or of one, wherever they were made. */
  stored(reader: Reader, orgId?: string): Promise<readonly Row[]>;
  storedName(row: Row): string;
  /** For a kind whose rows stay: whether one is of an object that was removed. */
  isRemoved?(row: Row): boolean;
}

/** How floe.yaml is brought into the store. An object takes over the stored one of its org with an equal name. */
export interface FileKind<Config, Row extends FileRow, Columns extends object>
  extends StoredListKind<Config, Row> {
  /** Where more than the name decides what an object takes over. */
  match?(declared: readonly Declared<Config>[], stored: readonly Row[]): Taken<Config, Row>;
  /** What the store does not let the file say. */
  problems?(declared: readonly Declared<Config>[], stored: readonly Row[]): readonly ConfigIssue[];
  /** What the file says of an object. */
  columns(object: Declared<Config>, before: Row | undefined): Columns;
  row(columns: NewColumns<Columns>): Row;
  insert(writer: Writer, row: Row): unknown;
  /** @param next the whole row after the change */
  update(writer: Writer, row: Row, change: ChangedColumns<Columns>, next: Row): unknown;
  /**
   * Removes an object as DELETE does.
   *
   * @throws Fault `conflict` for one that something else names
   */
  remove(writer: Writer, row: Row, nowMs: number): unknown;
  /** For a kind whose objects are revoked: one that is. */
  revoked?(row: Row, nowMs: number): Row;
  /** Writes what the functions above gathered. */
  flush?(): Promise<unknown>;
  /** An object as the audit log keeps it, without secrets. */
  shown(row: Row, nowMs: number): object;
}

/** The declaration of a kind, as it is. */
export function fileKind<Config, Row extends FileRow, Columns extends object>(
  kind: FileKind<Config, Row, Columns>,
): FileKind<Config, Row, Columns> {
  return kind;
}

/** Which stored row each object of the file takes over. */
export type Taken<Config, Row> = ReadonlyMap<Declared<Config>, Row>;

interface SyncContext {
  readonly writer: Writer;
  readonly nowMs: number;
  readonly audited: NewAudit[];
}

interface KindSync {
  readonly issues: readonly ConfigIssue[];
  readonly isNamed: boolean;
  write(): Promise<void>;
  removeOthers(): Promise<void>;
}

/** A kind as `syncFile` takes it. */
export type SyncedKind = (context: SyncContext, file: FileText) => Promise<KindSync>;

export function syncedKind<Config, Row extends FileRow, Columns extends object>(
  kind: FileKind<Config, Row, Columns>,
): SyncedKind {
  return async (context, file) =>
    new ObjectSync(kind, context, declaredIn(file, kind), await kind.stored(context.writer));
}

/**
 * Brings the objects of floe.yaml into the store. A stored object of an equal name is taken over, wherever it was made.
 * An object that left the file is removed as DELETE removes it; one that DELETE refuses, because something made in the
 * console names it, stays and is changed there from now on. Every difference is audited with the actor `file`; no
 * difference writes nothing.
 *
 * @param kinds in the order in which later ones may name earlier ones
 * @throws FileRefused for what the store does not let the file say; nothing is written then
 */
export async function syncFile(
  kinds: readonly SyncedKind[],
  file: FileText,
  at: Pick<SyncContext, 'writer' | 'nowMs'>,
): Promise<void> {
  const context = { ...at, audited: [] };
  const syncs: KindSync[] = [];
  for (const begin of kinds) syncs.push(await begin(context, file));
  const issues = syncs.flatMap((sync) => sync.issues);
  if (issues.length > 0) throw new FileRefused(issues);
  // First, so that their names are free.
  for (const sync of syncs) if (!sync.isNamed) await sync.removeOthers();
  for (const sync of syncs) await sync.write();
  for (const sync of syncs.toReversed()) if (sync.isNamed) await sync.removeOthers();
  await appendAudits(at.writer, context.audited);
}

class ObjectSync<Config, Row extends FileRow, Columns extends object> implements KindSync {
  readonly issues: readonly ConfigIssue[];
  readonly isNamed: boolean;
  readonly #kind: FileKind<Config, Row, Columns>;
  readonly #context: SyncContext;
  readonly #declared: readonly Declared<Config>[];
  readonly #stored: readonly Row[];
  readonly #taken: Taken<Config, Row>;

  constructor(
    kind: FileKind<Config, Row, Columns>,
    context: SyncContext,
    declared: readonly Declared<Config>[],
    stored: readonly Row[],
  ) {
    this.#kind = kind;
    this.#context = context;
    this.#declared = declared;
    this.#stored = stored;
    this.isNamed = kind.isNamed ?? false;
    this.issues = kind.problems?.(declared, stored) ?? [];
    this.#taken = kind.match?.(declared, stored) ?? matchByName(kind, declared, stored);
  }

  async write(): Promise<void> {
    const { nowMs } = this.#context;
    for (const object of this.#declared) {
      const before = this.#taken.get(object);
      const columns = this.#kind.columns(object, before);
      const place = { source: 'file', source_file: object.file, source_line: object.line };
      if (before) await this.#change(before, { ...columns, ...place });
      else
        await this.#create(
          this.#kind.row({
            ...columns,
            ...place,
            org_id: object.orgId,
            created_at: nowMs,
            ...this.#stamps(),
          }),
        );
    }
    await this.#kind.flush?.();
  }

  async removeOthers(): Promise<void> {
    const kept = new Set(this.#taken.values());
    for (const row of this.#stored)
      if (row.source === 'file' && !kept.has(row) && !this.#kind.isRemoved?.(row)) await this.#remove(row);
  }

  #stamps(row?: Row): Stamps {
    // Processes read their clocks some milliseconds apart: what is changed later is not dated earlier.
    return { updated_at: Math.max(this.#context.nowMs, row?.updated_at ?? 0), updated_by: 'file' };
  }

  async #create(row: Row): Promise<void> {
    await this.#kind.insert(this.#context.writer, row);
    this.#audit('create', null, row);
  }

  /** Equal columns write nothing. That an object moved in the file is written down, and is no change of it. */
  async #change(row: Row, wanted: ChangedColumns<Columns>): Promise<void> {
    const stored = new Map<string, unknown>(Object.entries(row));
    const differing = Object.entries(wanted).filter(([column, value]) => stored.get(column) !== value);
    if (differing.length === 0) return;
    const isMoved = differing.every(([column]) => isPlace(column));
    const change = isMoved ? wanted : { ...wanted, ...this.#stamps(row) };
    const next = { ...row, ...change };
    await this.#kind.update(this.#context.writer, row, change, next);
    if (!isMoved) this.#audit('update', row, next);
  }

  async #remove(row: Row): Promise<void> {
    const { writer, nowMs } = this.#context;
    const { revoked } = this.#kind;
    try {
      await this.#kind.remove(writer, row, nowMs);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
      return this.#change(row, { source: 'console', source_file: null, source_line: null });
    }
    this.#audit(revoked ? 'revoke' : 'delete', row, revoked?.(row, nowMs) ?? null);
  }

  #audit(action: string, before: Row | null, after: Row | null): void {
    const { nowMs, audited } = this.#context;
    const { kind, shown } = this.#kind;
    const row = after ?? before;
    if (row === null) return;
    audited.push({
      id: newId('aud', nowMs),
      org_id: row.org_id,
      at: nowMs,
      actor: 'file',
      action: `${kind}.${action}`,
      subject: row.id,
      before_json: before && JSON.stringify(shown(before, nowMs)),
      after_json: after && JSON.stringify(shown(after, nowMs)),
    });
  }
}

function matchByName<Config, Row extends FileRow, Columns extends object>(
  { nameOf, storedName }: FileKind<Config, Row, Columns>,
  declared: readonly Declared<Config>[],
  stored: readonly Row[],
): Taken<Config, Row> {
  const key = (orgId: string, name: string) => JSON.stringify([orgId, name]);
  const rows = new Map(stored.map((row) => [key(row.org_id, storedName(row)), row]));
  return new Map(
    declared.flatMap((object) => {
      const row = rows.get(key(object.orgId, nameOf(object.config)));
      return row ? [[object, row] as const] : [];
    }),
  );
}
