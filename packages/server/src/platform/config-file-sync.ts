import type { ConfigIssue } from '@floe/contract/config/cross-object-rules';
import { Fault } from '@floe/contract/faults';
import type { OrgDifferences } from '../config/compare-orgs.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { createId } from '../core/ids.ts';
import { appendAuditEntries, type NewAuditEntry } from '../store/audit-entries.ts';
import { shiftSourceLines } from '../store/shift-source-lines.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { ConfigFileRejectedError } from './config-file-rejected-error.ts';
import type {
  ConfigFileResourceKind,
  ConfigFileUpdateColumns,
  LastChangeColumns,
  MatchedResourceRows,
  StoredResourceRow,
} from './config-file-resource-kind.ts';
import { type ConfigFile, type DeclaredResource, iterateDeclaredResources } from './declared-resources.ts';
import { isSourceColumn } from './source-location.ts';

/** The options of a sync: its transaction, its time, and the organizations that are compared. */
export interface ConfigFileSyncOptions {
  readonly writer: DatabaseWriter;
  readonly nowMs: number;
  /** The differences from the previously stored file. Null or absent if all organizations are compared. */
  readonly differences?: OrgDifferences | null;
  readonly turns?: Pick<EventLoopYielder, 'endStep'>;
}

interface SyncContext {
  readonly writer: DatabaseWriter;
  readonly nowMs: number;
  readonly turns: Pick<EventLoopYielder, 'endStep'>;
  /** The organizations that are compared. Null for all. */
  readonly orgIds: ReadonlySet<string> | null;
  readonly auditEntries: NewAuditEntry[];
}

/** The rows of these organizations are read together. */
const ORGS_PER_QUERY = 10;

interface KindSync {
  readonly issues: readonly ConfigIssue[];
  readonly isReferenced: boolean;
  write(): Promise<void>;
  removeOthers(): Promise<void>;
}

/**
 * Creates the sync of one resource kind with a loaded file. `syncConfigFile` requires one factory for each
 * kind.
 */
export type ResourceKindSyncFactory = (context: SyncContext, file: ConfigFile) => Promise<KindSync>;

/** Creates the factory that `syncConfigFile` requires for a resource kind. */
export function createResourceKindSyncFactory<Config, Row extends StoredResourceRow, Columns extends object>(
  kind: ConfigFileResourceKind<Config, Row, Columns>,
): ResourceKindSyncFactory {
  return async (context, file) => {
    const { turns, writer: reader, nowMs } = context;
    const declared: DeclaredResource<Config>[] = [];
    for (const [at, { id }] of file.config.orgs.entries()) {
      if (context.orgIds && !context.orgIds.has(id)) continue;
      for (const object of iterateDeclaredResources(file, kind, at)) {
        kind.prepare?.(object);
        declared.push(object);
        await turns.endStep();
      }
    }
    const stored = await readStored(kind, context, declared.length === 0);
    const matched = await matchByOrg(kind, declared, stored, context);
    const issues = (await kind.findIssues?.(declared, matched, { reader, stored, nowMs })) ?? [];
    return new ResourceSync(kind, context, { declared, stored, matched, issues });
  };
}

async function readStored<Config, Row extends StoredResourceRow, Columns extends object>(
  kind: ConfigFileResourceKind<Config, Row, Columns>,
  { writer, orgIds, turns }: SyncContext,
  onlyFromFile: boolean,
): Promise<readonly Row[]> {
  if (orgIds === null) {
    const fromFile = onlyFromFile ? kind.storedFromFile?.(writer) : undefined;
    return fromFile ?? kind.stored(writer);
  }
  const ids = [...orgIds];
  const rows: Row[] = [];
  for (let at = 0; at < ids.length; at += ORGS_PER_QUERY) {
    for (const row of await kind.stored(writer, ids.slice(at, at + ORGS_PER_QUERY))) rows.push(row);
    await turns.endStep();
  }
  return rows;
}

async function matchByOrg<Config, Row extends StoredResourceRow, Columns extends object>(
  kind: ConfigFileResourceKind<Config, Row, Columns>,
  declared: readonly DeclaredResource<Config>[],
  stored: readonly Row[],
  { turns, writer }: SyncContext,
): Promise<MatchedResourceRows<Config, Row>> {
  const matched = new Map<DeclaredResource<Config>, Row>();
  const rows = Map.groupBy(stored, (row) => row.org_id);
  for (const [orgId, own] of Map.groupBy(declared, (object) => object.orgId)) {
    const ownRows = rows.get(orgId) ?? [];
    const found = (await kind.match?.(own, ownRows, turns, writer)) ?? matchByName(kind, own, ownRows);
    for (const [object, row] of found) matched.set(object, row);
    await turns.endStep();
  }
  return matched;
}

/**
 * Stores the resources in floe.yaml. A resource in the file takes over the stored resource with the same
 * name, even if that resource was created with the API. A resource that was removed from the file is deleted
 * in the same way as with `DELETE`. If another resource refers to it, it is kept, and can then be changed
 * with the API. Adds an audit entry with the actor `file` for each difference. Writes nothing if there are no
 * differences. Yields to the event loop between two resources, so that the process can serve requests.
 *
 * @param kinds the resource kinds. A kind comes after the kinds that it refers to.
 * @throws ConfigFileRejectedError if the file conflicts with stored resources. Nothing is written
 * in this case.
 */
export async function syncConfigFile(
  kinds: readonly ResourceKindSyncFactory[],
  file: ConfigFile,
  { writer, nowMs, differences = null, turns = new EventLoopYielder() }: ConfigFileSyncOptions,
): Promise<void> {
  const orgIds = differences?.changed ?? null;
  const context: SyncContext = { writer, nowMs, turns, orgIds, auditEntries: [] };
  const syncs: KindSync[] = [];
  for (const begin of kinds) syncs.push(await begin(context, file));
  const issues = syncs.flatMap((sync) => sync.issues);
  if (issues.length > 0) throw new ConfigFileRejectedError(issues);
  // First, so that their names can be reused.
  for (const sync of syncs) if (!sync.isReferenced) await sync.removeOthers();
  for (const sync of syncs) await sync.write();
  for (const sync of syncs.toReversed()) if (sync.isReferenced) await sync.removeOthers();
  await appendAuditEntries(writer, context.auditEntries);
  for (const [lines, moved] of Map.groupBy(differences?.moved ?? [], ([, byLines]) => byLines))
    await shiftSourceLines(
      writer,
      moved.map(([id]) => id),
      lines,
    );
}

/** The resources of one kind in the file and in the database. */
interface FoundResources<Config, Row> {
  readonly declared: readonly DeclaredResource<Config>[];
  readonly stored: readonly Row[];
  readonly matched: MatchedResourceRows<Config, Row>;
  readonly issues: readonly ConfigIssue[];
}

class ResourceSync<Config, Row extends StoredResourceRow, Columns extends object> implements KindSync {
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
    found: FoundResources<Config, Row>,
  ) {
    this.#kind = kind;
    this.#context = context;
    this.#declared = found.declared;
    this.#stored = found.stored;
    this.#matched = found.matched;
    this.isReferenced = kind.isReferenced ?? false;
    this.issues = found.issues;
  }

  async write(): Promise<void> {
    const { nowMs, turns, writer } = this.#context;
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
    await this.#kind.flush?.(writer);
  }

  async removeOthers(): Promise<void> {
    const kept = new Set(this.#matched.values());
    for (const row of this.#stored) {
      await this.#context.turns.endStep();
      if (row.source === 'file' && !kept.has(row) && !this.#kind.isRemoved?.(row)) await this.#remove(row);
    }
  }

  #stamps(row?: Row): LastChangeColumns {
    // The clocks of two processes may differ by milliseconds. A later change must not have an earlier time.
    return { updated_at: Math.max(this.#context.nowMs, row?.updated_at ?? 0), updated_by: 'file' };
  }

  async #create(row: Row): Promise<void> {
    await this.#kind.insert(this.#context.writer, row);
    this.#audit('create', null, row);
  }

  /** Writes changed columns. A new position in the file is written, but is not a change of the resource. */
  async #change(row: Row, wanted: ConfigFileUpdateColumns<Columns>): Promise<void> {
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
      id: createId('aud', nowMs),
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

function matchByName<Config, Row extends StoredResourceRow, Columns extends object>(
  { nameOf, storedName }: ConfigFileResourceKind<Config, Row, Columns>,
  declared: readonly DeclaredResource<Config>[],
  stored: readonly Row[],
): MatchedResourceRows<Config, Row> {
  const rows = new Map(stored.map((row) => [storedName(row), row]));
  return new Map(
    declared.flatMap((object) => {
      const row = rows.get(nameOf(object.config));
      return row ? [[object, row] as const] : [];
    }),
  );
}
