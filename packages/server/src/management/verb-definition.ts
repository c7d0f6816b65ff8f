import type { Role } from '@floe/contract/roles';
import type { Scope } from '@floe/contract/scopes';
import * as z from 'zod';
import type { Actor } from '../platform/actor.ts';
import type { Reader, Writer } from '../store/ports.ts';
import type { Change, FurtherChange } from './audited-change.ts';
import type { Preconditions } from './entity-tags.ts';
import type { Watch } from './event-stream.ts';
import { validate } from './input.ts';
import type { VerbContext, VerbHost } from './verb-host.ts';

export type Reading = VerbContext & { readonly reader: Reader };
/** Within a transaction: what was written in it is read, too. */
export type Writing = Reading & { readonly writer: Writer };

/** A request as the transport hands it over: parsed, not validated. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** For an answer that goes on. */
  readonly watch?: Watch;
  readonly preconditions?: Preconditions;
}

/** What a verb changed. */
export interface Changed {
  readonly answer: unknown;
  readonly audit: Change | 'unchanged';
  readonly further: readonly FurtherChange[];
}

/** What a verb did. */
export interface Performed {
  readonly answer: unknown;
  /** Of the resource in the answer; null where the answer is none. */
  readonly tag: string | null;
}

export interface Input<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The body as it came, short forms and all. */
  readonly sent: unknown;
  readonly idempotencyKey: string | undefined;
}

export interface Description {
  /** `<subject>.<verb>`: the audit action and the OpenAPI operation id. */
  readonly name: `${string}.${string}`;
  /** With `{id}` for parameters. */
  readonly path: `/api/${string}` | `/relay/v1/${string}`;
  /** Scope a key needs, or any one of several; null for any valid key. `read` is enough for every `GET`. */
  readonly scope: Scope | readonly [Scope, ...Scope[]] | null;
  /** Roles of members who may, whatever scopes stand for them. Absent: those whose scopes do. */
  readonly roles?: readonly Role[];
  /** What people wrote to models: for a key, `read` is not enough although it is a `GET`. */
  readonly isConfidential?: true;
  /** No platform key may, whatever its scopes. A key with `management` is an admin otherwise. */
  readonly keys?: false;
  /** Members must be operators of the installation: it affects every org. */
  readonly operator?: true;
  /** Members must have confirmed who they are a moment ago. */
  readonly stepUp?: true;
  readonly summary: string;
  /** The verb has its own way with an `Idempotency-Key`. Others that create answer again what they answered first. */
  readonly idempotent?: true;
  /** Whether answers carry an ETag, so that who has one already is told so (`If-None-Match`). */
  readonly tagged?: true;
  /** Fields of the answer that change by themselves, such as `status`; `credentials.test` for those in a list. */
  readonly live?: readonly string[];
}

export interface Schemas<Params, Query, Body, Answer> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** `z.null()` for an answer without a body. */
  readonly answer: Answer;
}

/** One thing the API can do, its types forgotten: a transport only lists and performs it. */
export interface Verb extends Description {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status: 200 | 201 | 204;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | null;
  readonly answer: z.ZodType;
  /** What it would answer in the view of this reader; null for verbs that change something. */
  readonly show: ((reader: Reader, host: VerbHost, actor: Actor, input: RawInput) => Promise<unknown>) | null;
  /** Runs inside a transaction of somebody else, who records it; null for verbs that change nothing. */
  readonly change: ((context: Writing, input: RawInput) => Promise<Changed>) | null;
  /** What must be waited for before that transaction, if anything. */
  readonly prepare?: (() => Promise<unknown>) | undefined;
  /**
   * Validates, runs and records. Authentication and scope come before and are the transport's part. `of` is the
   * `GET` of the same resource, if it has one: what tags are made of and preconditions are held against.
   *
   * @throws Fault `invalid_request` with `param`, `precondition_failed`, and what the verb itself throws
   */
  perform(host: VerbHost, actor: Actor, input: RawInput, of?: Verb): Promise<Performed>;
}

const noFields = z.strictObject({});
const noBody = z.unknown();
export type NoFields = typeof noFields;
export type NoBody = typeof noBody;

/** The scopes that a verb asks for, any of which will do; `read` among them for a `GET` that is not confidential. */
export function scopesOf({
  scope,
  method,
  isConfidential,
}: Pick<Verb, 'scope' | 'method' | 'isConfidential'>): readonly Scope[] {
  if (scope === null) return [];
  const reading: readonly Scope[] = method === 'GET' && !isConfidential ? ['read'] : [];
  return [...(typeof scope === 'string' ? [scope] : scope), ...reading];
}

export function contextOf(host: VerbHost, actor: Actor): VerbContext {
  return { orgId: actor.orgId, actor, clock: host.clock };
}

interface Complete<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

export function complete<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  given: Schemas<Params, Query, Body, unknown>,
): Complete<Params, Query, Body> {
  return {
    params: orDefault(given.params, noFields),
    query: orDefault(given.query, noFields),
    body: orDefault(given.body, noBody),
  };
}

/** An absent schema leaves its type parameter at the default, which is the type of `fallback`. */
function orDefault<Schema extends z.ZodType>(given: Schema | undefined, fallback: NoFields | NoBody): Schema {
  return given ?? (fallback as z.ZodType as Schema);
}

export function read<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  schemas: Complete<Params, Query, Body>,
  raw: RawInput,
): Input<Params, Query, Body> {
  return {
    params: validate(schemas.params, raw.params),
    query: validate(schemas.query, raw.query),
    body: validate(schemas.body, raw.body),
    sent: raw.body,
    idempotencyKey: raw.idempotencyKey,
  };
}
