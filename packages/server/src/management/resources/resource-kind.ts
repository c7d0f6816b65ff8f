import type { FaultCode } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { Actor } from '../../platform/actor.ts';
import type { RowPage } from '../../store/pagination.ts';
import type { DatabaseReader } from '../../store/ports.ts';
import type { NoFields, ReadContext, VerbDescription, VerbInput, WriteContext } from '../verb-definition.ts';
import type { SnapshotPart } from '../verb-dependencies.ts';

/** An object as answers show it; its id is the subject of audit entries. */
export type ResourceObject = JsonObject & { readonly id: string };

/** What requests and answers about one kind look like. */
export interface ResourceSchemas<View extends ResourceObject> {
  readonly answer: z.ZodType<unknown, View>;
  /** Query of the list: `createListQuery`, with orders and filters of its own. */
  readonly list: z.ZodObject;
  readonly creation: z.ZodType;
  /** Absent fields stay; null clears. */
  readonly change: z.ZodType;
  /** What `GET` returned is accepted; absent settings return to their default. */
  readonly replacement: z.ZodType;
  /** Of `PUT`, where an id that is new must be a good one. */
  readonly replaceParams?: z.ZodObject<{ id: z.ZodType<string, string> }>;
  /** Query of `DELETE`. */
  readonly removal?: z.ZodObject;
}

/** A body, checked and as it came. */
export type ResourceInput<Body extends z.ZodType> = Pick<
  VerbInput<NoFields, NoFields, Body>,
  'body' | 'sent' | 'idempotencyKey'
>;

/** Where objects of a kind are found. */
export interface ResourceLookup<Row> {
  find(reader: DatabaseReader, orgId: string, id: string): Promise<Row | undefined>;
  /** Whether it is there for somebody. Absent: every object of an org is there for all of its members and keys. */
  canRead?(row: Row, actor: Actor): boolean;
  /** Message of the 404. */
  readonly notFoundMessage: string;
  /** Absent: `not_found`. */
  readonly notFoundCode?: FaultCode;
  /**
   * @param patch the fields of a change; absent where an object is replaced or removed
   * @throws Fault `managed_by_file`, and for an actor who may change others of the kind only
   */
  requireChangeable?(row: Row, actor: Actor, patch?: unknown): void;
}

/** How objects of a kind are written and shown. */
export interface WritableResourceKind<Row, Config, View extends ResourceObject> extends ResourceLookup<Row> {
  toResource(row: Row, context: ReadContext): Promise<View> | View;
  /** As the audit log keeps it; null for what is not stored. Absent: as the answer shows it. */
  toAuditView?(view: View, row: Row): JsonObject | null;
  /**
   * Whether a change lets more money through, for which members say why and confirm who they are; `config` is null for a
   * removal. With it, bodies and the query of `DELETE` have a `reason`.
   */
  increasesSpending?(row: Row, config: Config | null): boolean;
  /** @throws Fault `conflict` when its name is taken */
  insert(context: WriteContext, config: Config): Promise<Row>;
  /** Null when the object is so already. */
  update(context: WriteContext, row: Row, config: Config): Promise<Row | null>;
  /** Resolves to false when the object is removed already. */
  remove(context: WriteContext, row: Row): Promise<unknown>;
}

/** What only the answer to a creation shows, such as the value of a key. */
export interface CreationOnlyFields<Config> {
  readonly answer: z.ZodType<unknown, JsonObject>;
  fieldsFrom(config: Config): JsonObject;
}

/**
 * A kind of object that an org has, wherever it is stored. The six operations of the API, their audit entries, ETags and
 * answers follow from it (`api-verbs.ts`).
 */
export interface ResourceKind<Row, Config, View extends ResourceObject, S extends ResourceSchemas<View>>
  extends WritableResourceKind<Row, Config, View> {
  /** Subject of the operations and of the audit actions. */
  readonly kind: string;
  readonly path: `/api/${string}`;
  readonly scope: VerbDescription['scope'];
  /** Roles of members who may change objects. Absent: those whose scopes allow it. */
  readonly roles?: VerbDescription['roles'];
  /** What `DELETE` is called where it keeps objects for their history, as `revoke`. Absent: `delete`, which removes. */
  readonly removalAction?: string;
  /** With it, a repeated `Idempotency-Key` is the affair of `created`. */
  readonly creationOnly?: CreationOnlyFields<Config>;
  /** Waited for before the transaction of a change. */
  beforeTransaction?(): Promise<unknown>;
  /** Part of the running snapshot that holds it. */
  readonly invalidates?: SnapshotPart;
  /** Fields of the answer that change by themselves: no part of its ETag. */
  readonly volatileFields?: readonly string[];
  readonly summaries: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'replace' | 'delete', string>>;
  readonly schemas: S;
  getPage(context: ReadContext, query: z.output<S['list']>): Promise<RowPage<Row>>;
  /** What a request makes of an object: the whole of it, checked. */
  configFromCreation(context: WriteContext, sent: ResourceInput<S['creation']>): Promise<Config> | Config;
  configFromPatch(
    context: WriteContext,
    row: Row,
    sent: ResourceInput<S['change']>,
  ): Promise<Config> | Config;
  configFromReplacement(
    context: WriteContext,
    row: Row | null,
    id: string,
    sent: ResourceInput<S['replacement']>,
  ): Promise<Config> | Config;
}
