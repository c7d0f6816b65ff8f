import type { ConfigIssue } from '@floe/contract/config/references';
import { Fault } from '@floe/contract/faults';
import { EventLoopTurns } from '../core/event-loop-turns.ts';
import { newId } from '../core/ids.ts';
import { appendAuditEntries, type NewAuditEntry } from '../store/audit-entries.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/ports.ts';
import { ConfigFileRejectedError } from './config-file-rejected.ts';
import {
  type ConfigFile,
  type DeclaredResource,
  type DeclaredResourceKind,
  listDeclaredResources,
} from './declared-resources.ts';
import { isSourceColumn, type SourceColumns } from './source-location.ts';

interface FileRow extends SourceColumns {
  /** Id of the resource in its audit entries. */
  readonly id: string;
  readonly org_id: string;
  readonly updated_at?: number | null | undefined;
}

interface UpdateStamps {
  readonly updated_at: number;
  readonly updated_by: string;
}

/**
 * The columns of a new row: its configuration, its position in the file, and who created it when.
 */
export type NewConfigFileColumns<Columns> = Columns &
  Required<SourceColumns> &
  UpdateStamps & { readonly org_id: string; readonly created_at: number };

/**
 * The columns to update. If a resource only moved in the file, they contain no timestamps. If it
 * was released from the file, they contain only the source.
 */
export type ChangedConfigFileColumns<Columns> = (Columns | object) &
  Required<SourceColumns> &
  Partial<UpdateStamps>;

/** A kind of resource that floe.yaml can define and that Floe stores. */
export interface StoredResourceKind<Config, Row> extends DeclaredResourceKind<Config> {
  /** Resources of all organizations or of one, from the file and the API. */
  stored(reader: DatabaseReader, orgId?: string): Promise<readonly Row[]>;
  storedName(row: Row): string;
  /** For a kind whose rows are kept: whether the resource was removed. */
  isRemoved?(row: Row): boolean;
}

/**
 * How resources of one kind in floe.yaml are stored. A resource takes over the stored one with the
 * same name in its organization.
 */
export interface ConfigFileResourceKind<Config, Row extends FileRow, Columns extends object>
  extends StoredResourceKind<Config, Row> {
  /**
   * The stored resources that come from the file. If the file defines none of this kind, they are
   * read instead of all.
   */
  storedFromFile?(reader: DatabaseReader): Promise<readonly Row[]>;
  /** Replaces the matching by name. */
  match?(
    declared: readonly DeclaredResource<Config>[],
    stored: readonly Row[],
  ): MatchedResourceRows<Config, Row>;
  /** Conflicts of the file with stored resources. */
  findIssues?(declared: readonly DeclaredResource<Config>[], stored: readonly Row[]): readonly ConfigIssue[];
  /** The columns of a resource of the file. */
  columns(object: DeclaredResource<Config>, before: Row | undefined): Columns;
  row(columns: NewConfigFileColumns<Columns>): Row;
  insert(writer: DatabaseWriter, row: Row): unknown;
  /** @param next the whole row after the change */
  update(writer: DatabaseWriter, row: Row, change: ChangedConfigFileColumns<Columns>, next: Row): unknown;
  /**
   * Removes a resource as DELETE does.
   *
   * @throws Fault `conflict` if another resource refers to it
   */
  remove(writer: DatabaseWriter, row: Row, nowMs: number): unknown;
  /** The revoked row, for a kind whose resources are revoked instead of removed. */
  toRevoked?(row: Row, nowMs: number): Row;
  /** Writes the changes that the functions above collected. */
  flush?(): Promise<unknown>;
  /** A resource in the form that the audit log stores, without secrets. */
  auditView(row: Row, nowMs: number): object;
}

/** Returns its argument unchanged. It only infers the types of the declaration. */
export function defineConfigFileKind<Config, Row extends FileRow, Columns extends object>(
  kind: ConfigFileResourceKind<Config, Row, Columns>,
): ConfigFileResourceKind<Config, Row, Columns> {
  return kind;
}

/** The stored row that each resource in the file takes over. */
export type MatchedResourceRows<Config, Row> = ReadonlyMap<DeclaredResource<Config>, Row>;

interface SyncContext {
  readonly writer: DatabaseWriter;
  readonly nowMs: number;
  readonly auditEntries: NewAuditEntry[];
}

interface KindSync {
  readonly issues: readonly ConfigIssue[];
  readonly isReferenced: boolean;
  write(): Promise<void>;
  removeOthers(): Promise<void>;
}

/** A resource kind in the form that `syncConfigFile` accepts. */
export type ResourceKindSyncFactory = (context: SyncContext, file: ConfigFile) => Promise<KindSync>;

/** Returns a resource kind in the form that `syncConfigFile` accepts. */
export function createResourceKindSync<Config, Row extends FileRow, Columns extends object>(
  kind: ConfigFileResourceKind<Config, Row, Columns>,
): ResourceKindSyncFactory {
  return async (context, file) => {
    const declared = listDeclaredResources(file, kind);
    const fromFile = declared.length === 0 ? kind.storedFromFile?.(context.writer) : undefined;
    return new ResourceSync(kind, context, declared, await (fromFile ?? kind.stored(context.writer)));
  };
}

/**
 * Stores the resources in floe.yaml. A resource takes over the stored one with the same name, even
 * if that was created with the API. A resource that was removed from the file is deleted as with
 * DELETE. If another resource refers to it, it is kept and can then be changed with the API. Each
 * difference creates an audit entry with the actor `file`. If there are no differences, nothing is
 * written.
 *
 * @param kinds the resource kinds. A kind comes after the kinds that it refers to.
 * @throws ConfigFileRejectedError if the file conflicts with stored resources. Nothing is written
 * in this case.
 */
export async function syncConfigFile(
  kinds: readonly ResourceKindSyncFactory[],
  file: ConfigFile,
  at: Pick<SyncContext, 'writer' | 'nowMs'>,
): Promise<void> {
  const context = { ...at, auditEntries: [] };
  const syncs: KindSync[] = [];
  for (const begin of kinds) syncs.push(await begin(context, file));
  const issues = syncs.flatMap((sync) => sync.issues);
  if (issues.length > 0) throw new ConfigFileRejectedError(issues);
  // First, so that their names can be reused.
  for (const sync of syncs) if (!sync.isReferenced) await sync.removeOthers();
  for (const sync of syncs) await sync.write();
  for (const sync of syncs.toReversed()) if (sync.isReferenced) await sync.removeOthers();
  await appendAuditEntries(at.writer, context.auditEntries);
}

class ResourceSync<Config, Row extends FileRow, Columns extends object> implements KindSync {
  readonly issues: readonly ConfigIssue[];
  readonly isReferenced: boolean;
  readonly #kind: ConfigFileResourceKind<Config, Row, Columns>;
  readonly #context: SyncContext;
  readonly #declared: readonly DeclaredResource<Config>[];
  readonly #stored: readonly Row[];
  readonly #matched: MatchedResourceRows<Config, Row>;

  constructor(
    kind: ConfigFileResourceKind<Config, Row, Columns>,
    context: SyncContext,
    declared: readonly DeclaredResource<Config>[],
    stored: readonly Row[],
  ) {
    this.#kind = kind;
    this.#context = context;
    this.#declared = declared;
    this.#stored = stored;
    this.isReferenced = kind.isReferenced ?? false;
    this.issues = kind.findIssues?.(declared, stored) ?? [];
    this.#matched = kind.match?.(declared, stored) ?? matchByName(kind, declared, stored);
  }

  async write(): Promise<void> {
    const { nowMs } = this.#context;
    const turns = new EventLoopTurns();
    for (const object of this.#declared) {
      await turns.endStep();
      const before = this.#matched.get(object);
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
    const kept = new Set(this.#matched.values());
    const turns = new EventLoopTurns();
    for (const row of this.#stored) {
      await turns.endStep();
      if (row.source === 'file' && !kept.has(row) && !this.#kind.isRemoved?.(row)) await this.#remove(row);
    }
  }

  #stamps(row?: Row): UpdateStamps {
    // The clocks of two processes may differ by milliseconds. A later change must not have an earlier time.
    return { updated_at: Math.max(this.#context.nowMs, row?.updated_at ?? 0), updated_by: 'file' };
  }

  async #create(row: Row): Promise<void> {
    await this.#kind.insert(this.#context.writer, row);
    this.#audit('create', null, row);
  }

  /** Writes changed columns. A new position in the file is written, but is not a change of the resource. */
  async #change(row: Row, wanted: ChangedConfigFileColumns<Columns>): Promise<void> {
    const stored = new Map<string, unknown>(Object.entries(row));
    const differing = Object.entries(wanted).filter(([column, value]) => stored.get(column) !== value);
    if (differing.length === 0) return;
    const isMoved = differing.every(([column]) => isSourceColumn(column));
    const change = isMoved ? wanted : { ...wanted, ...this.#stamps(row) };
    const next = { ...row, ...change };
    await this.#kind.update(this.#context.writer, row, change, next);
    if (!isMoved) this.#audit('update', row, next);
  }

  async #remove(row: Row): Promise<void> {
    const { writer, nowMs } = this.#context;
    const { toRevoked } = this.#kind;
    try {
      await this.#kind.remove(writer, row, nowMs);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
      return this.#change(row, { source: 'console', source_file: null, source_line: null });
    }
    this.#audit(toRevoked ? 'revoke' : 'delete', row, toRevoked?.(row, nowMs) ?? null);
  }

  #audit(action: string, before: Row | null, after: Row | null): void {
    const { nowMs, auditEntries } = this.#context;
    const { kind, auditView } = this.#kind;
    const row = after ?? before;
    if (row === null) return;
    auditEntries.push({
      id: newId('aud', nowMs),
      org_id: row.org_id,
      at: nowMs,
      actor: 'file',
      action: `${kind}.${action}`,
      subject: row.id,
      before_json: before && JSON.stringify(auditView(before, nowMs)),
      after_json: after && JSON.stringify(auditView(after, nowMs)),
    });
  }
}

function matchByName<Config, Row extends FileRow, Columns extends object>(
  { nameOf, storedName }: ConfigFileResourceKind<Config, Row, Columns>,
  declared: readonly DeclaredResource<Config>[],
  stored: readonly Row[],
): MatchedResourceRows<Config, Row> {
  const key = (orgId: string, name: string) => JSON.stringify([orgId, name]);
  const rows = new Map(stored.map((row) => [key(row.org_id, storedName(row)), row]));
  return new Map(
    declared.flatMap((object) => {
      const row = rows.get(key(object.orgId, nameOf(object.config)));
      return row ? [[object, row] as const] : [];
    }),
  );
}
