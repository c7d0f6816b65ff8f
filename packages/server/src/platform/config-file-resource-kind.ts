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
export interface LastChangeColumns {
  readonly updated_at: number;
  readonly updated_by: string;
}

/**
 * The columns of a new row: its configuration, its position in the file, and when and by whom it was created.
 */
export type ConfigFileInsertColumns<Columns> = Columns &
  Required<SourceColumns> &
  LastChangeColumns & { readonly org_id: string; readonly created_at: number };

/**
 * The columns to update. If only the line number of a resource changed, its timestamps are not updated. If
 * floe.yaml no longer defines the resource, only the source is updated.
 */
export type ConfigFileUpdateColumns<Columns> = (Columns | object) &
  Required<SourceColumns> &
  Partial<LastChangeColumns>;

/** A kind of resource that floe.yaml can define and that the database stores. */
export interface StoredResourceKind<Config, Row> extends DeclaredResourceKind<Config> {
  /**
   * Returns the stored resources of the organizations in `orgIds`, or of all organizations if it is undefined.
   * Includes resources from the file and from the API. May leave out removed resources from the API.
   */
  stored(reader: DatabaseReader, orgIds?: readonly string[]): Promise<readonly Row[]>;
  storedName(row: Row): string;
  /** Returns whether the resource was removed. Set only for a kind whose rows are kept after the removal. */
  isRemoved?(row: Row): boolean;
}

/**
 * How resources of one kind in floe.yaml are stored. If the organization already has a stored resource with
 * the same name, the resource in the file replaces it and keeps its id.
 */
export interface ConfigFileResourceKind<Config, Row extends StoredResourceRow, Columns extends object>
  extends StoredResourceKind<Config, Row> {
  /**
   * Returns the stored resources that come from the file. If the file defines no resources of this kind, a sync
   * reads only these and not all stored resources.
   */
  storedFromFile?(reader: DatabaseReader): Promise<readonly Row[]>;
  /** Called for each resource in the file before the functions below, which use the values that it computes. */
  prepare?(object: DeclaredResource<Config>): void;
  /**
   * Returns the stored row that each resource in the file takes over. If absent, resources are matched by name.
   * Both lists belong to one organization.
   */
  match?(
    declared: readonly DeclaredResource<Config>[],
    stored: readonly Row[],
    turns: Pick<EventLoopYielder, 'endStep'>,
    reader: DatabaseReader,
  ): Promise<MatchedResourceRows<Config, Row>>;
  /**
   * Returns the conflicts of the file with resources that it does not define.
   * @param matched the rows in their own organization that the resources take over
   */
  findIssues?(
    declared: readonly DeclaredResource<Config>[],
    matched: MatchedResourceRows<Config, Row>,
    existing: ExistingResources<Row>,
  ): Promise<readonly ConfigIssue[]>;
  /** Returns the columns of a resource in the file. */
  columns(object: DeclaredResource<Config>, before: Row | undefined): Columns;
  row(columns: ConfigFileInsertColumns<Columns>): Row;
  insert(writer: DatabaseWriter, row: Row): unknown;
  /** @param next the whole row after the change */
  update(writer: DatabaseWriter, row: Row, change: ConfigFileUpdateColumns<Columns>, next: Row): unknown;
  /**
   * Removes a resource as DELETE does.
   *
   * @throws Fault `conflict` if another resource refers to it
   */
  remove(writer: DatabaseWriter, row: Row, nowMs: number): unknown;
  /** Returns the revoked row. Set only for a kind whose resources are revoked instead of removed. */
  toRevoked?(row: Row, nowMs: number): Row;
  /** Writes the changes that the functions above collected. */
  flush?(writer: DatabaseWriter): Promise<unknown>;
  /** Returns a resource in the form that the audit log stores, without secrets. */
  auditView(row: Row, nowMs: number): object;
}

/** The stored resources with which a file is compared. */
export interface ExistingResources<Row> {
  readonly reader: DatabaseReader;
  /** All resources of this kind in the organizations of the file. */
  readonly stored: readonly Row[];
  readonly nowMs: number;
}

/** Returns its argument unchanged. It only infers the types of the declaration. */
export function defineConfigFileResourceKind<Config, Row extends StoredResourceRow, Columns extends object>(
  kind: ConfigFileResourceKind<Config, Row, Columns>,
): ConfigFileResourceKind<Config, Row, Columns> {
  return kind;
}

/** The stored row that each resource in the file takes over. */
export type MatchedResourceRows<Config, Row> = ReadonlyMap<DeclaredResource<Config>, Row>;
