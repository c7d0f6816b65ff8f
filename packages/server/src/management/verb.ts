import { Fault } from '@floe/contract/faults';
import type { Role } from '@floe/contract/roles';
import type { Scope } from '@floe/contract/scopes';
import * as z from 'zod';
import type { Actor } from '../platform/actor.ts';
import { noteOrigin } from '../store/audit-context.ts';
import type { Reader, Writer } from '../store/ports.ts';
import { type Change, type FurtherChange, record } from './change.ts';
import type { Watch } from './event-stream.ts';
import { validate } from './input.ts';
import { answeredBefore, creationOf, rememberAnswer } from './repetition.ts';
import { mustMatch, type Preconditions, tagOf } from './tags.ts';
import type { Topic, VerbContext, VerbHost } from './verb-host.ts';

export type { Change, FurtherChange } from './change.ts';
export type { Topic, VerbContext, VerbHost } from './verb-host.ts';

type Writing = VerbContext & { readonly writer: Writer };

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

interface Input<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The body as it came, short forms and all. */
  readonly sent: unknown;
  readonly idempotencyKey: string | undefined;
}

interface Description {
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

interface Schemas<Params, Query, Body, Answer> {
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
type NoFields = typeof noFields;
type NoBody = typeof noBody;

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

/** Defines a verb that changes nothing; its `run` reads through `context.reader`. */
export function readVerb<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = NoBody,
>(
  definition: Description &
    Schemas<Params, Query, Body, Answer> & {
      readonly method: 'GET' | 'POST';
      run(
        context: VerbContext & { readonly reader: Reader },
        input: Input<Params, Query, Body>,
      ): Promise<z.input<Answer>>;
    },
): Verb {
  const schemas = complete(definition);
  const show: Verb['show'] = (reader, host, actor, raw) =>
    definition.run({ ...contextOf(host, actor), reader }, read(schemas, raw));
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    status: 200,
    show,
    change: null,
    async perform(host, actor, raw, of) {
      const answer = await show(host.database.read, host, actor, raw);
      return { answer, tag: of ? tagOf(answer, of.live ?? []) : null };
    },
  };
}

/**
 * Defines a verb that changes something. Its `run` works inside one write transaction and must say what it
 * changed: the audit row commits with the change. The caller hears of success only after the running
 * snapshot was renewed, so what an answered request revoked is refused from the next one on. When the
 * renewal fails the change stands and the caller gets the error.
 */
export function writeVerb<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = NoBody,
>(
  definition: Description &
    Schemas<Params, Query, Body, Answer> & {
      /** `GET` for what is only looked at, and must stand in the audit log all the same. */
      readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      readonly status: 200 | 201 | 204;
      /** Null when the running snapshot holds nothing of it. */
      readonly changes: Topic | null;
      /** Waited for before the transaction, for what must not be waited for inside one. */
      before?(): Promise<unknown>;
      /** Waited for once the change is in force; gives the answer its last fields. */
      after?(answer: z.input<Answer>): Promise<z.input<Answer>>;
      run(
        context: Writing,
        input: Input<Params, Query, Body>,
      ): Promise<{
        readonly answer: z.input<Answer>;
        readonly audit: Change | 'unchanged';
        readonly further?: readonly FurtherChange[];
      }>;
    },
): Verb {
  const schemas = complete(definition);
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    show: null,
    prepare: definition.before,
    async change(context, raw) {
      const { further = [], ...done } = await definition.run(context, read(schemas, raw));
      return { ...done, further };
    },
    async perform(host, actor, raw, of) {
      const input = read(schemas, raw);
      await definition.before?.();
      const creation = creationOf(definition, actor, raw);
      let isRepeated = false;
      const answer = await host.database.transaction(async (writer) => {
        noteOrigin(writer, { address: actor.address ?? null, sessionId: actor.member?.sessionId ?? null });
        const now = host.clock.now();
        const earlier =
          creation && (await answeredBefore<z.input<Answer>>(writer, creation, host.secretsKey, now));
        isRepeated = earlier !== null && earlier !== undefined;
        if (earlier) return earlier.answer;
        if (definition.method !== 'POST') await holdAgainst(of, writer, host, actor, raw);
        const done = await definition.run({ ...contextOf(host, actor), writer }, input);
        if (done.audit !== 'unchanged')
          await record(writer, host, actor, { ...done.audit, action: definition.name });
        for (const change of done.further ?? []) await record(writer, host, actor, change);
        if (definition.changes !== null && done.audit !== 'unchanged')
          await host.database.signals.announce(writer);
        if (creation) await rememberAnswer(writer, creation, done.answer, host.secretsKey, now);
        return done.answer;
      });
      // Also after 'unchanged': the try that made the change may have failed right here.
      if (definition.changes !== null) await host.changed(definition.changes, actor.orgId);
      const told = definition.after && !isRepeated ? await definition.after(answer) : answer;
      return { answer: told, tag: of?.answer === definition.answer ? tagOf(told, of.live ?? []) : null };
    },
  };
}

/** @throws Fault `precondition_failed` */
async function holdAgainst(
  of: Verb | undefined,
  writer: Writer,
  host: VerbHost,
  actor: Actor,
  { params, preconditions }: RawInput,
): Promise<void> {
  if (!of?.show || (!preconditions?.ifMatch && !preconditions?.ifNoneMatch)) return;
  const asked = { params, query: {}, body: undefined, idempotencyKey: undefined };
  let tag: string | null;
  try {
    tag = tagOf(await of.show(writer, host, actor, asked), of.live ?? []);
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 404) throw error;
    tag = null;
  }
  mustMatch(tag, preconditions);
}

function contextOf(host: VerbHost, actor: Actor): VerbContext {
  return { orgId: actor.orgId, actor, clock: host.clock };
}

interface Complete<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

function complete<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
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

function read<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
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
