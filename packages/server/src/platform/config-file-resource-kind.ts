import type { ConfigIssue } from '@floe/contract/config/cross-object-rules';
import type { EventLoopYielder } from '../core/event-loop-yielder.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/store-interfaces.ts';
import type { DeclaredResource, DeclaredResourceKind } from './declared-resources.ts';
import type { SourceColumns } from './source-location.ts';

/** The columns that all stored resources have. */
export interface StoredResourceRow extends SourceColumns {
  /** Id of the resource in its audit entries. */
  readonly id: string;
  readonly org_id: string;
  readonly updated_at?: number | null | undefined;
}

/** When a row was last changed, and by whom. */
export interface UpdateMetadataColumns {
  readonly updated_at: number;
  readonly updated_by: string;
}

/**
 * The columns of a new row: its configuration, its position in the file, and who created it when.
 */
export type ConfigFileColumnInsert<Columns> = Columns &
  Required<SourceColumns> &
  UpdateMetadataColumns & { readonly org_id: string; readonly created_at: number };

/**
 * The columns to update. If a resource only moved in the file, they contain no timestamps. If it
 * was released from the file, they contain only the source.
 */
export type ConfigFileColumnUpdate<Columns> = (Columns | object) &
  Required<SourceColumns> &
  Partial<UpdateMetadataColumns>;

/** A kind of resource that floe.yaml can define and that Floe stores. */
export interface StoredResourceKind<Config, Row> extends DeclaredResourceKind<Config> {
  /** Resources of all organizations or of these, from the file and the API. */
  stored(reader: DatabaseReader, orgIds?: readonly string[]): Promise<readonly Row[]>;
  storedName(row: Row): string;
  /** For a kind whose rows are kept: whether the resource was removed. */
  isRemoved?(row: Row): boolean;
}

/**
 * How resources of one kind in floe.yaml are stored. A resource takes over the stored one with the
 * same name in its organization.
 */
export interface ConfigFileResourceKind<Config, Row extends StoredResourceRow, Columns extends object>
  extends StoredResourceKind<Config, Row> {
  /**
   * The stored resources that come from the file. If the file defines none of this kind, they are
   * read instead of all.
   */
  storedFromFile?(reader: DatabaseReader): Promise<readonly Row[]>;
  /** Computes what the functions below need of each resource. */
  prepare?(object: DeclaredResource<Config>): void;
  /** Replaces the matching by name. Both lists are those of one organization. */
  match?(
    declared: readonly DeclaredResource<Config>[],
    stored: readonly Row[],
    turns: Pick<EventLoopYielder, 'endStep'>,
  ): Promise<MatchedResourceRows<Config, Row>>;
  /**
   * Conflicts of the file with resources of other organizations.
   * @param matched the resources in their own organization
   */
  findIssues?(
    declared: readonly DeclaredResource<Config>[],
    matched: MatchedResourceRows<Config, Row>,
    reader: DatabaseReader,
  ): Promise<readonly ConfigIssue[]>;
  /** The columns of a resource of the file. */
  columns(object: DeclaredResource<Config>, before: Row | undefined): Columns;
  row(columns: ConfigFileColumnInsert<Columns>): Row;
  insert(writer: DatabaseWriter, row: Row): unknown;
  /** @param next the whole row after the change */
  update(writer: DatabaseWriter, row: Row, change: ConfigFileColumnUpdate<Columns>, next: Row): unknown;
  /**
   * Removes a resource as DELETE does.
   *
   * @throws Fault `conflict` if another resource refers to it
   */
  remove(writer: DatabaseWriter, row: Row, nowMs: number): unknown;
  /** The revoked row, for a kind whose resources are revoked instead of removed. */
  toRevoked?(row: Row, nowMs: number): Row;
  /** Writes the changes that the functions above collected. */
  flush?(writer: DatabaseWriter): Promise<unknown>;
  /** A resource in the form that the audit log stores, without secrets. */
  auditView(row: Row, nowMs: number): object;
}

/** Returns its argument unchanged. It only infers the types of the declaration. */
export function defineConfigFileKind<Config, Row extends StoredResourceRow, Columns extends object>(
  kind: ConfigFileResourceKind<Config, Row, Columns>,
): ConfigFileResourceKind<Config, Row, Columns> {
  return kind;
}

/** The stored row that each resource in the file takes over. */
export type MatchedResourceRows<Config, Row> = ReadonlyMap<DeclaredResource<Config>, Row>;
