import type { MemberRole } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import * as z from 'zod';
import type { Actor } from '../platform/actor.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/ports.ts';
import type { AdditionalAuditedChange, AuditedChange } from './audited-change.ts';
import type { Preconditions } from './entity-tags.ts';
import type { EventStreamContext } from './event-stream-response.ts';
import { validateInput } from './validate-input.ts';
import type { VerbContext, VerbDependencies } from './verb-dependencies.ts';

export type ReadContext = VerbContext & { readonly reader: DatabaseReader };
/** Within a transaction: what was written in it is read, too. */
export type WriteContext = ReadContext & { readonly writer: DatabaseWriter };

/** A request as the transport hands it over: parsed, not validated. */
export interface RawVerbInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** For an answer that goes on. */
  readonly streamContext?: EventStreamContext;
  readonly preconditions?: Preconditions;
}

/** What a verb changed. */
export interface VerbChange {
  readonly answer: unknown;
  readonly audit: AuditedChange | 'unchanged';
  readonly additionalChanges: readonly AdditionalAuditedChange[];
}

/** What a verb did. */
export interface VerbResult {
  readonly answer: unknown;
  /** Of the resource in the answer; null where the answer is none. */
  readonly entityTag: string | null;
}

export interface VerbInput<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The body as it came, short forms and all. */
  readonly sent: unknown;
  readonly idempotencyKey: string | undefined;
}

export interface VerbDescription {
  /** `<subject>.<verb>`: the audit action and the OpenAPI operation id. */
  readonly name: `${string}.${string}`;
  /** With `{id}` for parameters. */
  readonly path: `/api/${string}` | `/relay/v1/${string}`;
  /** Scope a key needs, or any one of several; null for any valid key. `read` is enough for every `GET`. */
  readonly scope: KeyScope | readonly [KeyScope, ...KeyScope[]] | null;
  /** Roles of members who may, whatever scopes stand for them. Absent: those whose scopes do. */
  readonly roles?: readonly MemberRole[];
  /** What people wrote to models: for a key, `read` is not enough although it is a `GET`. */
  readonly isConfidential?: true;
  /** No platform key may, whatever its scopes. A key with `management` is an admin otherwise. */
  readonly allowsPlatformKeys?: false;
  /** Members must be operators of the installation: it affects every org. */
  readonly requiresOperator?: true;
  /** Members must have confirmed who they are a moment ago. */
  readonly requiresStepUp?: true;
  readonly summary: string;
  /** The verb has its own way with an `Idempotency-Key`. Others that create answer again what they answered first. */
  readonly handlesIdempotency?: true;
  /** Whether answers carry an ETag, so that who has one already is told so (`If-None-Match`). */
  readonly hasEntityTag?: true;
  /** Fields of the answer that change by themselves, such as `status`; `credentials.test` for those in a list. */
  readonly volatileFields?: readonly string[];
}

export interface VerbSchemas<Params, Query, Body, Answer> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** `z.null()` for an answer without a body. */
  readonly answer: Answer;
}

/** One thing the API can do, its types forgotten: a transport only lists and performs it. */
export interface Verb extends VerbDescription {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status: 200 | 201 | 204;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | null;
  readonly answer: z.ZodType;
  /** What it would answer in the view of this reader; null for verbs that change something. */
  readonly readAnswer:
    | ((
        reader: DatabaseReader,
        dependencies: VerbDependencies,
        actor: Actor,
        input: RawVerbInput,
      ) => Promise<unknown>)
    | null;
  /** Runs inside a transaction of somebody else, who records it; null for verbs that change nothing. */
  readonly applyChange: ((context: WriteContext, input: RawVerbInput) => Promise<VerbChange>) | null;
  /** What must be waited for before that transaction, if anything. */
  readonly prepare?: (() => Promise<unknown>) | undefined;
  /**
   * Validates, runs and records. Authentication and scope come before and are the transport's part. `of` is the
   * `GET` of the same resource, if it has one: what tags are made of and preconditions are held against.
   *
   * @throws Fault `invalid_request` with `param`, `precondition_failed`, and what the verb itself throws
   */
  perform(
    dependencies: VerbDependencies,
    actor: Actor,
    input: RawVerbInput,
    resourceVerb?: Verb,
  ): Promise<VerbResult>;
}

const noFieldsSchema = z.strictObject({});
const noBodySchema = z.unknown();
export type NoFields = typeof noFieldsSchema;
export type NoBody = typeof noBodySchema;

/** The scopes that a verb asks for, any of which will do; `read` among them for a `GET` that is not confidential. */
export function acceptedScopes({
  scope,
  method,
  isConfidential,
}: Pick<Verb, 'scope' | 'method' | 'isConfidential'>): readonly KeyScope[] {
  if (scope === null) return [];
  const reading: readonly KeyScope[] = method === 'GET' && !isConfidential ? ['read'] : [];
  return [...(typeof scope === 'string' ? [scope] : scope), ...reading];
}

export function createVerbContext(dependencies: VerbDependencies, actor: Actor): VerbContext {
  return { orgId: actor.orgId, actor, clock: dependencies.clock };
}

interface ResolvedSchemas<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

export function resolveSchemas<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  given: VerbSchemas<Params, Query, Body, unknown>,
): ResolvedSchemas<Params, Query, Body> {
  return {
    params: schemaOrDefault(given.params, noFieldsSchema),
    query: schemaOrDefault(given.query, noFieldsSchema),
    body: schemaOrDefault(given.body, noBodySchema),
  };
}

/** An absent schema leaves its type parameter at the default, which is the type of `fallback`. */
function schemaOrDefault<Schema extends z.ZodType>(
  given: Schema | undefined,
  fallback: NoFields | NoBody,
): Schema {
  return given ?? (fallback as z.ZodType as Schema);
}

export function parseVerbInput<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  schemas: ResolvedSchemas<Params, Query, Body>,
  raw: RawVerbInput,
): VerbInput<Params, Query, Body> {
  return {
    params: validateInput(schemas.params, raw.params),
    query: validateInput(schemas.query, raw.query),
    body: validateInput(schemas.body, raw.body),
    sent: raw.body,
    idempotencyKey: raw.idempotencyKey,
  };
}
