import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { Actor } from '../platform/actor.ts';
import { setAuditOrigin } from '../store/audit-context.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/ports.ts';
import { type AuditedChange, recordAuditedChange, type SecondaryAuditedChange } from './audited-change.ts';
import { computeEntityTag, requirePreconditions } from './entity-tags.ts';
import {
  findIdempotentResponse,
  storeIdempotentResponse,
  toIdempotentCreation,
} from './idempotent-creation.ts';
import {
  createVerbContext,
  type NoBodySchema,
  type NoFieldsSchema,
  parseVerbInput,
  type RawVerbInput,
  resolveSchemas,
  type Verb,
  type VerbDescription,
  type VerbInput,
  type VerbSchemas,
  type WriteContext,
} from './verb-definition.ts';
import type { SnapshotPart, VerbContext, VerbDependencies } from './verb-dependencies.ts';

export type { AuditedChange, SecondaryAuditedChange } from './audited-change.ts';
export {
  listAcceptedScopes,
  type RawVerbInput,
  type Verb,
  type VerbChange,
  type VerbResult,
} from './verb-definition.ts';
export type { SnapshotPart, VerbContext, VerbDependencies } from './verb-dependencies.ts';

/** Defines an operation that changes nothing. Its `run` reads through `context.reader`. */
export function defineReadVerb<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFieldsSchema,
  Query extends z.ZodObject = NoFieldsSchema,
  Body extends z.ZodType = NoBodySchema,
>(
  definition: VerbDescription &
    VerbSchemas<Params, Query, Body, Answer> & {
      readonly method: 'GET' | 'POST';
      run(
        context: VerbContext & { readonly reader: DatabaseReader },
        input: VerbInput<Params, Query, Body>,
      ): Promise<z.input<Answer>>;
    },
): Verb {
  const schemas = resolveSchemas(definition);
  const readAnswer: Verb['readAnswer'] = (reader, host, actor, raw) =>
    definition.run({ ...createVerbContext(host, actor), reader }, parseVerbInput(schemas, raw));
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    status: 200,
    readAnswer,
    applyChange: null,
    async perform(host, actor, raw, resourceVerb) {
      const answer = await readAnswer(host.database.read, host, actor, raw);
      return {
        answer,
        entityTag: resourceVerb ? computeEntityTag(answer, resourceVerb.volatileFields ?? []) : null,
      };
    },
  };
}

interface WriteDefinition<
  Answer extends z.ZodType,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Plan,
> extends VerbDescription,
    VerbSchemas<Params, Query, Body, Answer> {
  /** `GET` for reads that the audit log must record. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status: 200 | 201 | 204;
  /** Null if the running snapshot does not depend on the change. */
  readonly invalidates: SnapshotPart | null;
  /** Awaited before the transaction, for work that must not delay one. */
  beforeTransaction?(): Promise<unknown>;
  /** Computes input for `run` before the transaction, if that takes long. */
  plan?(context: VerbContext, input: VerbInput<Params, Query, Body>): Promise<Plan>;
  run(
    context: WriteContext,
    input: VerbInput<Params, Query, Body>,
    plan: Plan,
  ): Promise<WriteOutcome<z.input<Answer>>>;
}

/** What `run` of a write verb returns. */
type WriteOutcome<Answer> = WriteAnswer<Answer> & {
  readonly audit: AuditedChange | 'unchanged';
  readonly additionalChanges?: readonly SecondaryAuditedChange[];
};

/**
 * The response, or a function that returns it and does what must not happen before the change is in force. A verb
 * with such a function must handle idempotency itself, because no response exists when the change is committed.
 */
type WriteAnswer<Answer> =
  | { readonly answer: Answer; readonly answerAfterCommit?: never }
  | { readonly answer?: never; answerAfterCommit(): Promise<Answer> };

/**
 * Defines an operation that changes something. Its `run` works inside one write transaction and
 * must report its change, so that the audit row is committed together with it. The response is sent
 * only after the snapshot has been renewed, so that the next request uses the new state. If the
 * renewal fails, the change is committed and the caller receives the error.
 */
export function defineWriteVerb<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFieldsSchema,
  Query extends z.ZodObject = NoFieldsSchema,
  Body extends z.ZodType = NoBodySchema,
  Plan = undefined,
>(definition: WriteDefinition<Answer, Params, Query, Body, Plan>): Verb {
  const schemas = resolveSchemas(definition);
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    readAnswer: null,
    prepare: definition.beforeTransaction,
    async applyChange(context, raw) {
      const input = parseVerbInput(schemas, raw);
      const plan = asPlan(definition, await definition.plan?.(context, input));
      const { audit, additionalChanges = [] } = await definition.run(context, input, plan);
      return { audit, additionalChanges };
    },
    async perform(host, actor, raw, resourceVerb) {
      const input = parseVerbInput(schemas, raw);
      await definition.beforeTransaction?.();
      const plan = asPlan(definition, await definition.plan?.(createVerbContext(host, actor), input));
      const committed = await commitWrite(
        definition,
        { dependencies: host, actor, raw, resourceVerb },
        (context) => definition.run(context, input, plan),
      );
      // Also for 'unchanged', because an earlier call may have committed the change and failed here.
      if (definition.invalidates !== null) await host.refreshSnapshot(definition.invalidates, actor.orgId);
      const answer = committed.answerAfterCommit ? await committed.answerAfterCommit() : committed.answer;
      return {
        answer,
        entityTag:
          resourceVerb?.answer === definition.answer
            ? computeEntityTag(answer, resourceVerb.volatileFields ?? [])
            : null,
      };
    },
  };
}

/** Without `plan`, the type parameter keeps its default `undefined`, which is then the value. */
function asPlan<Plan>(_: { plan?(...given: never[]): Promise<Plan> }, planned: Plan | undefined): Plan {
  return planned as Plan;
}

interface VerbCall {
  readonly dependencies: VerbDependencies;
  readonly actor: Actor;
  readonly raw: RawVerbInput;
  readonly resourceVerb: Verb | undefined;
}

/** Runs a write with its audit rows in one transaction. A repeated creation returns its stored response. */
async function commitWrite<Answer>(
  definition: Pick<VerbDescription, 'name' | 'handlesIdempotency'> &
    Pick<Verb, 'method' | 'status'> & { readonly invalidates: SnapshotPart | null },
  call: VerbCall,
  run: (context: WriteContext) => Promise<WriteOutcome<Answer>>,
): Promise<WriteAnswer<Answer>> {
  const { dependencies, actor, raw } = call;
  const creation = toIdempotentCreation(definition, actor, raw);
  return dependencies.database.transaction(async (writer) => {
    setAuditOrigin(writer, { address: actor.address ?? null, sessionId: actor.member?.sessionId ?? null });
    const now = dependencies.clock.now();
    const earlier =
      creation && (await findIdempotentResponse<Answer>(writer, creation, dependencies.secretsKey, now));
    if (earlier) return earlier;
    if (definition.method !== 'POST') await checkPreconditions(writer, call);
    const done = await run({ ...createVerbContext(dependencies, actor), reader: writer, writer });
    if (done.audit !== 'unchanged')
      await recordAuditedChange(writer, dependencies, actor, { ...done.audit, action: definition.name });
    for (const change of done.additionalChanges ?? [])
      await recordAuditedChange(writer, dependencies, actor, change);
    if (definition.invalidates !== null && done.audit !== 'unchanged')
      await dependencies.database.signals.announce(writer);
    if (creation && done.answer !== undefined)
      await storeIdempotentResponse(
        writer,
        { ...creation, answer: done.answer },
        dependencies.secretsKey,
        now,
      );
    return done;
  });
}

/** @throws Fault `precondition_failed` */
async function checkPreconditions(
  writer: DatabaseWriter,
  { dependencies, actor, raw, resourceVerb }: VerbCall,
): Promise<void> {
  const { params, preconditions } = raw;
  if (!resourceVerb?.readAnswer || (!preconditions?.ifMatch && !preconditions?.ifNoneMatch)) return;
  const readInput = { params, query: {}, body: undefined, idempotencyKey: undefined };
  let tag: string | null;
  try {
    tag = computeEntityTag(
      await resourceVerb.readAnswer(writer, dependencies, actor, readInput),
      resourceVerb.volatileFields ?? [],
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 404) throw error;
    tag = null;
  }
  requirePreconditions(tag, preconditions);
}
