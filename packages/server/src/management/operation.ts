import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { Actor } from '../platform/actor.ts';
import { requireCurrentAccess } from '../platform/current-access.ts';
import { setAuditOrigin } from '../store/audit-context.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/store-interfaces.ts';
import { type AuditedChange, recordAuditedChanges, type SecondaryAuditedChange } from './audited-change.ts';
import { computeEntityTag, requirePreconditions } from './entity-tags.ts';
import {
  findIdempotentResponse,
  storeIdempotentResponse,
  toIdempotentCreateRequest,
} from './idempotent-create-request.ts';
import {
  createOperationContext,
  type NoBodySchema,
  type NoFieldsSchema,
  type Operation,
  type OperationDescription,
  type OperationInput,
  type OperationSchemas,
  parseOperationInput,
  parseWriteInput,
  type RawOperationInput,
  resolveOperationSchemas,
  type WriteOperationContext,
} from './operation-definition.ts';
import type { OperationContext, OperationDependencies, SnapshotPart } from './operation-dependencies.ts';

export type { AuditedChange, SecondaryAuditedChange } from './audited-change.ts';
export {
  acceptsIdempotencyKey,
  listAcceptedScopes,
  type Operation,
  type OperationChanges,
  type OperationResult,
  type RawOperationInput,
} from './operation-definition.ts';
export type { OperationContext, OperationDependencies, SnapshotPart } from './operation-dependencies.ts';

/** Defines an operation that changes nothing. Its `run` reads through `context.reader`. */
export function defineReadOperation<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFieldsSchema,
  Query extends z.ZodObject = NoFieldsSchema,
  Body extends z.ZodType = NoBodySchema,
>(
  definition: OperationDescription &
    OperationSchemas<Params, Query, Body, Answer> & {
      readonly method: 'GET' | 'POST';
      run(
        context: OperationContext & { readonly reader: DatabaseReader },
        input: OperationInput<Params, Query, Body>,
      ): Promise<z.input<Answer>>;
    },
): Operation {
  const schemas = resolveOperationSchemas(definition);
  const readAnswer: Operation['readAnswer'] = (reader, host, actor, raw) =>
    definition.run({ ...createOperationContext(host, actor), reader }, parseOperationInput(schemas, raw));
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    status: 200,
    readAnswer,
    applyChange: null,
    async perform(host, actor, raw, resourceGetter) {
      const answer = await readAnswer(host.database.read, host, actor, raw);
      return {
        answer,
        entityTag: resourceGetter ? computeEntityTag(answer, resourceGetter.volatileFields ?? []) : null,
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
> extends OperationDescription,
    OperationSchemas<Params, Query, Body, Answer> {
  /** `GET` for reads that the audit log must record. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status: 200 | 201 | 204;
  /** Null if the running snapshot does not depend on the change. */
  readonly invalidates: SnapshotPart | null;
  /** Awaited before the transaction, for work that must not delay one. */
  beforeTransaction?(): Promise<unknown>;
  /** Awaited after a change, in its transaction. Same meaning as in `ResourceKind`. */
  requireValidResult?(context: WriteOperationContext): Promise<void>;
  /** Computes input for `run` before the transaction, if that takes long. */
  plan?(
    context: OperationContext & { readonly reader: DatabaseReader },
    input: OperationInput<Params, Query, Body>,
  ): Promise<Plan>;
  run(
    context: WriteOperationContext,
    input: OperationInput<Params, Query, Body>,
    plan: Plan,
  ): Promise<WriteOutcome<z.input<Answer>>>;
}

/** The result of `run` for an operation that writes. */
type WriteOutcome<Answer> = WriteAnswer<Answer> & {
  readonly audit: AuditedChange | 'unchanged';
  readonly additionalChanges?: readonly SecondaryAuditedChange[];
};

/**
 * The response, or a function that returns it and does what must not happen before the change is in force. An operation
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
export function defineWriteOperation<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFieldsSchema,
  Query extends z.ZodObject = NoFieldsSchema,
  Body extends z.ZodType = NoBodySchema,
  Plan = undefined,
>(definition: WriteDefinition<Answer, Params, Query, Body, Plan>): Operation {
  const schemas = resolveOperationSchemas(definition);
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    readAnswer: null,
    prepare: definition.beforeTransaction,
    async applyChange(context, raw) {
      const input = parseWriteInput(schemas, raw);
      const plan = asPlan(definition, await definition.plan?.(context, input));
      const { audit, additionalChanges = [] } = await definition.run(context, input, plan);
      return { audit, additionalChanges };
    },
    async perform(host, actor, raw, resourceGetter) {
      const input = parseWriteInput(schemas, raw);
      await definition.beforeTransaction?.();
      const planContext = { ...createOperationContext(host, actor), reader: host.database.read };
      const plan = asPlan(definition, await definition.plan?.(planContext, input));
      const committed = await commitWrite(
        definition,
        { dependencies: host, actor, raw, resourceGetter },
        async (context) => {
          const outcome = await definition.run(context, input, plan);
          if (outcome.audit !== 'unchanged') await definition.requireValidResult?.(context);
          return outcome;
        },
      );
      // Also for 'unchanged', because an earlier call may have committed the change and failed here.
      if (definition.invalidates !== null) await host.refreshSnapshot(definition.invalidates, actor.orgId);
      const answer = committed.answerAfterCommit ? await committed.answerAfterCommit() : committed.answer;
      return {
        answer,
        entityTag:
          resourceGetter?.answer === definition.answer
            ? computeEntityTag(answer, resourceGetter.volatileFields ?? [])
            : null,
      };
    },
  };
}

/** Without `plan`, the type parameter keeps its default `undefined`. The value is then `undefined`. */
function asPlan<Plan>(_: { plan?(...given: never[]): Promise<Plan> }, planned: Plan | undefined): Plan {
  return planned as Plan;
}

interface OperationCall {
  readonly dependencies: OperationDependencies;
  readonly actor: Actor;
  readonly raw: RawOperationInput;
  readonly resourceGetter: Operation | undefined;
}

/** Runs a write with its audit rows in one transaction. A repeated creation returns its stored response. */
async function commitWrite<Answer>(
  definition: Pick<OperationDescription, 'name' | 'handlesIdempotency'> &
    Pick<Operation, 'method' | 'status'> & { readonly invalidates: SnapshotPart | null },
  call: OperationCall,
  run: (context: WriteOperationContext) => Promise<WriteOutcome<Answer>>,
): Promise<WriteAnswer<Answer>> {
  const { dependencies, actor, raw } = call;
  const creation = toIdempotentCreateRequest(definition, actor, raw);
  return dependencies.database.transaction(async (writer) => {
    setAuditOrigin(writer, { address: actor.address ?? null, sessionId: actor.member?.sessionId ?? null });
    const now = dependencies.clock.now();
    await requireCurrentAccess(writer, actor, now);
    const earlier =
      creation && (await findIdempotentResponse<Answer>(writer, creation, dependencies.secretsKey, now));
    if (earlier) return earlier;
    if (definition.method !== 'POST') await checkPreconditions(writer, call);
    const done = await run({ ...createOperationContext(dependencies, actor), reader: writer, writer });
    const ownChange = done.audit === 'unchanged' ? [] : [{ ...done.audit, action: definition.name }];
    await recordAuditedChanges(writer, dependencies, actor, [
      ...ownChange,
      ...(done.additionalChanges ?? []),
    ]);
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
  { dependencies, actor, raw, resourceGetter }: OperationCall,
): Promise<void> {
  const { params, preconditions } = raw;
  const { ifMatch, ifNoneMatch } = preconditions ?? {};
  if (!resourceGetter?.readAnswer || (ifMatch === undefined && ifNoneMatch === undefined)) return;
  const readInput = { params, query: {}, body: undefined, idempotencyKey: undefined };
  let tag: string | null;
  try {
    tag = computeEntityTag(
      await resourceGetter.readAnswer(writer, dependencies, actor, readInput),
      resourceGetter.volatileFields ?? [],
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 404) throw error;
    tag = null;
  }
  requirePreconditions(tag, { ifMatch, ifNoneMatch });
}
