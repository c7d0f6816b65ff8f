import type { MemberRole } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import * as z from 'zod';
import type { Actor } from '../platform/actor.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/store-interfaces.ts';
import type { AuditedChange, SecondaryAuditedChange } from './audited-change.ts';
import type { Preconditions } from './entity-tags.ts';
import type { EventStreamContext } from './event-stream-response.ts';
import type { OperationContext, OperationDependencies } from './operation-dependencies.ts';
import { validateInput, validateStorableInput } from './validate-input.ts';

/** The context of an operation that reads. */
export type ReadOperationContext = OperationContext & { readonly reader: DatabaseReader };
/**
 * The context of an operation that writes. The reader belongs to the transaction and sees its
 * uncommitted writes.
 */
export type WriteOperationContext = ReadOperationContext & { readonly writer: DatabaseWriter };

/** A request as the transport passes it: parsed, but not validated. */
export interface RawOperationInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** Present if the transport can send an event stream. */
  readonly streamContext?: EventStreamContext;
  readonly preconditions?: Preconditions;
}

/** The changes that an operation made, in the form that the audit log records. */
export interface OperationChanges {
  readonly audit: AuditedChange | 'unchanged';
  readonly additionalChanges: readonly SecondaryAuditedChange[];
}

/** The result of an operation. */
export interface OperationResult {
  readonly answer: unknown;
  /** Entity tag of the resource in the response. Null if the response has no tag. */
  readonly entityTag: string | null;
}

/** The validated input of an operation. */
export interface OperationInput<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The body as the client sent it, including short forms. */
  readonly sent: unknown;
  readonly idempotencyKey: string | undefined;
}

/** An operation's name, path and access rules. */
export interface OperationDescription {
  /** `<subject>.<action>`: the audit action and the OpenAPI operation id. */
  readonly name: `${string}.${string}`;
  /** Path parameters are written as `{id}`. */
  readonly path: `/api/${string}` | `/relay/v1/${string}`;
  /**
   * The required scope, or a list of scopes of which a key needs one. Null if every valid key is accepted.
   * `read` is sufficient for every `GET`.
   */
  readonly scope: KeyScope | readonly [KeyScope, ...KeyScope[]] | null;
  /** Roles of members who may use the operation, regardless of scopes. Absent: the roles whose scopes allow it. */
  readonly roles?: readonly MemberRole[];
  /**
   * The response contains prompts or other content of model requests: the scope `read` does not suffice, even
   * for `GET`.
   */
  readonly isConfidential?: true;
  /**
   * False: platform keys may not use the operation, regardless of their scopes. Otherwise a key with `management`
   * counts as an admin.
   */
  readonly allowsPlatformKeys?: false;
  /** Members must be operators, because the operation affects every org of the installation. */
  readonly requiresOperator?: true;
  /** Members must have completed a step-up recently. */
  readonly requiresStepUp?: true;
  readonly summary: string;
  /**
   * The operation handles `Idempotency-Key` itself. Other creations return their stored response when the key is
   * repeated.
   */
  readonly handlesIdempotency?: true;
  /** Values that are nested too deeply in the body are replaced with 0 and do not make the request invalid. */
  readonly cutsDeepValues?: true;
  /** Whether responses have an ETag, so that `If-None-Match` can be used. */
  readonly hasEntityTag?: true;
  /**
   * Response fields that change without an edit, such as `status`. `credentials.test` names a field in each
   * entry of a list.
   */
  readonly volatileFields?: readonly string[];
}

/** The schemas of an operation's input and response. */
export interface OperationSchemas<Params, Query, Body, Answer> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** `z.null()` for a response without a body. */
  readonly answer: Answer;
}

/**
 * Returns whether the operation accepts an `Idempotency-Key`. If it does, a repeated request with the same key changes
 * nothing.
 */
export function acceptsIdempotencyKey({
  status,
  handlesIdempotency,
}: Pick<Operation, 'status' | 'handlesIdempotency'>): boolean {
  return status === 201 || handlesIdempotency === true;
}

/**
 * One operation of the API, without its specific types. A transport lists the operations and runs
 * them.
 */
export interface Operation extends OperationDescription {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status: 200 | 201 | 204;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | null;
  readonly answer: z.ZodType;
  /** Computes the response from the given reader. Null for operations that change something. */
  readonly readAnswer:
    | ((
        reader: DatabaseReader,
        dependencies: OperationDependencies,
        actor: Actor,
        input: RawOperationInput,
      ) => Promise<unknown>)
    | null;
  /**
   * Runs the change in the caller's transaction. The same transaction also records the change.
   * Null for operations that change nothing.
   */
  readonly applyChange:
    | ((context: WriteOperationContext, input: RawOperationInput) => Promise<OperationChanges>)
    | null;
  /** Awaited before the transaction of `applyChange`. */
  readonly prepare?: (() => Promise<unknown>) | undefined;
  /** Must be called after the last `applyChange` of a transaction. Same meaning as in `ResourceKind`. */
  readonly requireValidResult?: ((context: WriteOperationContext) => Promise<void>) | undefined;
  /**
   * Validates the input, runs the operation and records the change. The transport authenticates and checks scopes
   * before it. `resourceGetter` is the `GET` of the same resource, if there is one. Entity tags and
   * preconditions use its response.
   *
   * @throws Fault `invalid_request` with `param`, `precondition_failed`, and the faults of the operation
   */
  perform(
    dependencies: OperationDependencies,
    actor: Actor,
    input: RawOperationInput,
    resourceGetter?: Operation,
  ): Promise<OperationResult>;
}

const noFieldsSchema = z.strictObject({});
const noBodySchema = z.unknown();
/** The path or query schema of an operation without path or query parameters. */
export type NoFieldsSchema = typeof noFieldsSchema;
/** The body schema of an operation without a request body. */
export type NoBodySchema = typeof noBodySchema;

/**
 * Returns the scopes that permit an operation. A caller needs one of them. They include `read` for a
 * `GET` operation that is not confidential.
 */
export function listAcceptedScopes({
  scope,
  method,
  isConfidential,
}: Pick<Operation, 'scope' | 'method' | 'isConfidential'>): readonly KeyScope[] {
  if (scope === null) return [];
  const reading: readonly KeyScope[] = method === 'GET' && !isConfidential ? ['read'] : [];
  return [...(typeof scope === 'string' ? [scope] : scope), ...reading];
}

/** Creates the context for a call by this actor. */
export function createOperationContext(dependencies: OperationDependencies, actor: Actor): OperationContext {
  return { orgId: actor.orgId, actor, clock: dependencies.clock };
}

interface ResolvedSchemas<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** Replaces an operation's absent schemas with schemas that accept no fields and no body. */
export function resolveOperationSchemas<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(given: OperationSchemas<Params, Query, Body, unknown>): ResolvedSchemas<Params, Query, Body> {
  return {
    params: schemaOrDefault(given.params, noFieldsSchema),
    query: schemaOrDefault(given.query, noFieldsSchema),
    body: schemaOrDefault(given.body, noBodySchema),
  };
}

/**
 * Returns `fallback` for an absent schema. The type parameter then has its default, which is the type of
 * `fallback`.
 */
function schemaOrDefault<Schema extends z.ZodType>(
  given: Schema | undefined,
  fallback: NoFieldsSchema | NoBodySchema,
): Schema {
  return given ?? (fallback as z.ZodType as Schema);
}

/**
 * Validates a request's path, query and body. Text in the path and the query must not contain
 * U+0000, which databases cannot store.
 * @throws Fault `invalid_request` with `param`
 */
export function parseOperationInput<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  schemas: ResolvedSchemas<Params, Query, Body>,
  raw: RawOperationInput,
  validateBody: typeof validateInput = validateInput,
): OperationInput<Params, Query, Body> {
  return {
    params: validateStorableInput(schemas.params, raw.params),
    query: validateStorableInput(schemas.query, raw.query),
    body: validateBody(schemas.body, raw.body),
    sent: raw.body,
    idempotencyKey: raw.idempotencyKey,
  };
}

/**
 * Validates the input of an operation that writes, as `parseOperationInput` does. Text in the body must also be
 * storable.
 * @throws Fault `invalid_request` with `param`
 */
export function parseWriteInput<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  schemas: ResolvedSchemas<Params, Query, Body>,
  raw: RawOperationInput,
): OperationInput<Params, Query, Body> {
  return parseOperationInput(schemas, raw, validateStorableInput);
}
