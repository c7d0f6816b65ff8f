import type { FaultCode } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { Actor } from '../../platform/actor.ts';
import type { RowPage } from '../../store/pagination.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type {
  NoFieldsSchema,
  OperationDescription,
  OperationInput,
  ReadOperationContext,
  WriteOperationContext,
} from '../operation-definition.ts';
import type { SnapshotPart } from '../operation-dependencies.ts';

/** A resource in the API format. Audit entries record its id as their subject. */
export type ResourceObject = JsonObject & { readonly id: string };

/** The request and response schemas of a resource kind. */
export interface ResourceSchemas<View extends ResourceObject> {
  readonly answer: z.ZodType<unknown, View>;
  /** Query of the list: `createListQuerySchema` with the orders and filters of the kind. */
  readonly list: z.ZodObject;
  readonly creation: z.ZodType;
  /** Body of `PATCH`. Absent fields keep their values. Null clears a field. */
  readonly change: z.ZodType;
  /** Body of `PUT`. Accepts the response of `GET`. Absent settings return to their defaults. */
  readonly replacement: z.ZodType;
  /** Path parameters of `PUT`, if a new id must be validated. */
  readonly replaceParams?: z.ZodObject<{ id: z.ZodType<string, string> }>;
  /** Query of `DELETE`. */
  readonly removal?: z.ZodObject;
}

/**
 * The input of an operation that writes a resource: the validated body, the body as it was sent, and the
 * idempotency key.
 */
export type ResourceInput<Body extends z.ZodType> = Pick<
  OperationInput<NoFieldsSchema, NoFieldsSchema, Body>,
  'body' | 'sent' | 'idempotencyKey'
>;

/** Finds the resources of one kind. */
export interface ResourceLookup<Row> {
  find(reader: DatabaseReader, orgId: string, id: string): Promise<Row | undefined>;
  /** Whether the actor may read the resource. Absent: every member and key of the org may. */
  canRead?(row: Row, actor: Actor): boolean;
  /** Message of the 404. */
  readonly notFoundMessage: string;
  /** Absent: `not_found`. */
  readonly notFoundCode?: FaultCode;
  /**
   * Rejects a change of a resource that this actor may not change.
   *
   * @param patch the fields of a change; absent for a replacement or removal
   * @throws Fault `managed_by_file`, or a fault that depends on the actor
   */
  requireChangeable?(row: Row, actor: Actor, patch?: unknown): void;
}

/** Writes the resources of one kind and converts them to the API format. */
export interface WritableResourceKind<Row, Config, View extends ResourceObject> extends ResourceLookup<Row> {
  /** Subject of the operations and of the audit actions, and its name in `MAX_RESOURCES_PER_ORG`. */
  readonly kind: string;
  toResource(row: Row, context: ReadOperationContext): Promise<View> | View;
  /** The view for the audit log. Null for a resource that is not stored. Absent: the API format. */
  toAuditView?(view: View, row: Row): JsonObject | null;
  /**
   * Whether a change allows more spending, which requires a reason and a step-up from members. `config` is
   * null for a removal. If present, bodies and the query of `DELETE` accept a `reason`.
   */
  increasesSpending?(row: Row, config: Config | null): boolean;
  /**
   * Inserts a resource and returns its row.
   * @throws Fault `conflict` if its name is taken
   */
  insert(context: WriteOperationContext, config: Config): Promise<Row>;
  /** Changes a resource and returns its new row. Resolves to null if nothing changed. */
  update(context: WriteOperationContext, row: Row, config: Config): Promise<Row | null>;
  /** Removes a resource. Resolves to false if it was already removed. */
  remove(context: WriteOperationContext, row: Row): Promise<unknown>;
}

/** Fields that only the response to a create request contains, such as a key's secret. */
export interface CreationOnlyFields<Config> {
  readonly answer: z.ZodType<unknown, JsonObject>;
  fieldsFrom(config: Config): JsonObject;
}

/**
 * A kind of resource in an organization, regardless of where it is stored. The kind's six API
 * operations, with audit entries, ETags and responses, are derived from it (`resource-operations.ts`).
 */
export interface ResourceKind<Row, Config, View extends ResourceObject, S extends ResourceSchemas<View>>
  extends WritableResourceKind<Row, Config, View> {
  readonly path: `/api/${string}`;
  readonly scope: OperationDescription['scope'];
  /** Roles of members who may change resources. Absent: the roles whose scopes allow it. */
  readonly roles?: OperationDescription['roles'];
  /**
   * Name of the `DELETE` operation if it keeps the resource for its history, such as `revoke`. Absent:
   * `delete`.
   */
  readonly removalAction?: string;
  /** If present, `created` handles a repeated `Idempotency-Key`. */
  readonly creationOnly?: CreationOnlyFields<Config>;
  /** Awaited before the transaction of a change. */
  beforeTransaction?(): Promise<unknown>;
  /**
   * Checks all resources of the organization after one was created or changed, in the same transaction. A transaction
   * that changes many calls it once, after the last change.
   * @throws Fault `invalid_request`
   */
  requireValidResult?(context: WriteOperationContext): Promise<void>;
  /** Part of the running snapshot that contains the resource. */
  readonly invalidates?: SnapshotPart;
  /** Response fields that change without an edit. The ETag does not include them. */
  readonly volatileFields?: readonly string[];
  readonly summaries: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'replace' | 'delete', string>>;
  readonly schemas: S;
  getPage(context: ReadOperationContext, query: z.output<S['list']>): Promise<RowPage<Row>>;
  /** Builds and validates the whole resource from a request. */
  configFromCreation(
    context: WriteOperationContext,
    sent: ResourceInput<S['creation']>,
  ): Promise<Config> | Config;
  configFromPatch(
    context: WriteOperationContext,
    row: Row,
    sent: ResourceInput<S['change']>,
  ): Promise<Config> | Config;
  configFromReplacement(
    context: WriteOperationContext,
    row: Row | null,
    id: string,
    sent: ResourceInput<S['replacement']>,
  ): Promise<Config> | Config;
}
