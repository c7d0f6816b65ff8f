import { createPageSchema, idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import { requireReasonAndStepUp } from '../access.ts';
import { defineReadOperation, defineWriteOperation, type Operation } from '../operation.ts';
import type { ReadOperationContext, WriteOperationContext } from '../operation-definition.ts';
import type {
  ResourceKind,
  ResourceLookup,
  ResourceObject,
  ResourceSchemas,
  WritableResourceKind,
} from './resource-kind.ts';
import { countNewResourceWithinLimit, discardResourceCount } from './resource-limits.ts';

/** Defines the operations of a resource kind: list, create, read, update, replace and delete. */
export function defineResourceOperations<
  Row,
  Config,
  View extends ResourceObject,
  S extends ResourceSchemas<View>,
>(kind: ResourceKind<Row, Config, View, S>): readonly Operation[] {
  const [list, get] = defineReadOperations(kind);
  const [create, ...others] = defineWriteOperations(kind);
  return [list, create, get, ...others].filter((operation) => operation !== undefined);
}

function defineReadOperations<Row, Config, View extends ResourceObject, S extends ResourceSchemas<View>>(
  kind: ResourceKind<Row, Config, View, S>,
): readonly Operation[] {
  const { path, scope, summaries, schemas, volatileFields } = kind;
  const answer: z.ZodType<unknown, View> = schemas.answer;
  return [
    defineReadOperation({
      name: `${kind.kind}.list`,
      method: 'GET',
      path,
      scope,
      summary: summaries.list,
      query: getSchema(schemas, 'list'),
      answer: createPageSchema(answer),
      async run(context, { query }) {
        const { rows, nextCursor } = await kind.getPage(context, query);
        const data = await Promise.all(rows.map((row) => kind.toResource(row, context)));
        return { data, next_cursor: nextCursor };
      },
    }),
    defineReadOperation({
      name: `${kind.kind}.get`,
      method: 'GET',
      path: `${path}/{id}`,
      scope,
      summary: summaries.get,
      ...(volatileFields && { volatileFields }),
      params: idParams,
      answer,
      async run(context, { params }) {
        return kind.toResource(await requireResource(kind, context, params.id), context);
      },
    }),
  ];
}

// budget: one declaration per operation
function defineWriteOperations<Row, Config, View extends ResourceObject, S extends ResourceSchemas<View>>(
  kind: ResourceKind<Row, Config, View, S>,
): readonly Operation[] {
  const { path, scope, summaries, schemas } = kind;
  const answer: z.ZodType<unknown, View> = schemas.answer;
  const common = {
    scope,
    invalidates: kind.invalidates ?? null,
    ...(kind.roles && { roles: kind.roles }),
    ...(kind.beforeTransaction && { beforeTransaction: kind.beforeTransaction }),
  } as const;
  const validated = {
    ...common,
    ...(kind.requireValidResult && { requireValidResult: kind.requireValidResult }),
  } as const;
  const resourcePath = `${path}/{id}` as const;
  return [
    defineWriteOperation({
      ...validated,
      name: `${kind.kind}.create`,
      method: 'POST',
      path,
      summary: summaries.create,
      body: getSchema(schemas, 'creation'),
      answer: kind.creationOnly?.answer ?? answer,
      status: 201,
      ...(kind.creationOnly && { handlesIdempotency: true }),
      async run(context, input) {
        const config = await kind.configFromCreation(context, input);
        const { answer: shown, audit } = await createResource(
          kind,
          context,
          config,
          parseReason(kind, input.body),
        );
        return { answer: { ...shown, ...kind.creationOnly?.fieldsFrom(config) }, audit };
      },
    }),
    defineWriteOperation({
      ...validated,
      name: `${kind.kind}.update`,
      method: 'PATCH',
      path: resourcePath,
      summary: summaries.update,
      params: idParams,
      body: getSchema(schemas, 'change'),
      answer,
      status: 200,
      async run(context, input) {
        const row = await requireResource(kind, context, input.params.id);
        kind.requireChangeable?.(row, context.actor, input.body);
        const config = await kind.configFromPatch(context, row, input);
        return updateResource(kind, context, { row, config }, parseReason(kind, input.body));
      },
    }),
    defineWriteOperation({
      ...validated,
      name: `${kind.kind}.replace`,
      method: 'PUT',
      path: resourcePath,
      summary: summaries.replace,
      params: schemas.replaceParams ?? idParams,
      body: getSchema(schemas, 'replacement'),
      answer,
      status: 200,
      async run(context, input) {
        const { id } = input.params;
        const row = (await kind.find(context.writer, context.orgId, id)) ?? null;
        if (row && kind.canRead?.(row, context.actor) === false)
          throw new Fault('conflict', 'This id is already in use. Choose another id.', { param: 'id' });
        if (row) kind.requireChangeable?.(row, context.actor);
        const config = await kind.configFromReplacement(context, row, id, input);
        const reason = parseReason(kind, input.body);
        return row
          ? updateResource(kind, context, { row, config }, reason)
          : createResource(kind, context, config, reason);
      },
    }),
    defineWriteOperation({
      ...common,
      name: `${kind.kind}.${kind.removalAction ?? 'delete'}`,
      method: 'DELETE',
      path: resourcePath,
      summary: summaries.delete,
      params: idParams,
      ...(schemas.removal && { query: schemas.removal }),
      answer: z.null(),
      status: 204,
      async run(context, { params, query }) {
        const row = await requireChangeableResource(kind, context, params.id);
        const reason = parseReason(kind, query);
        requireReasonForIncrease(kind, context, { row, config: null }, reason);
        const view = await kind.toResource(row, context);
        const before = auditViewOf(kind, row, view);
        const isGone = (await kind.remove(context, row)) === false;
        if (isGone) return { answer: null, audit: 'unchanged' };
        discardResourceCount(kind.kind, context);
        const remaining = kind.removalAction && (await kind.find(context.writer, context.orgId, params.id));
        const after = remaining
          ? auditViewOf(kind, remaining, await kind.toResource(remaining, context))
          : null;
        return { answer: null, audit: { subject: view.id, before, after, reason } };
      },
    }),
  ];
}

/** Returns the schema with the type of this kind. `schemas.change` has the type of all kinds. */
function getSchema<S, Name extends keyof S>(schemas: S, name: Name): S[Name] {
  return schemas[name];
}

/**
 * Returns the resource with this id.
 * @throws Fault `not_found`, also for a resource of another organization
 */
export async function requireResource<Row>(
  kind: ResourceLookup<Row>,
  { reader, orgId, actor }: ReadOperationContext,
  id: string,
): Promise<Row> {
  const row = await kind.find(reader, orgId, id);
  if (!row || kind.canRead?.(row, actor) === false)
    throw new Fault(kind.notFoundCode ?? 'not_found', kind.notFoundMessage);
  return row;
}

/**
 * Returns a resource that the actor may change.
 * @throws Fault `not_found`, `managed_by_file`
 */
export async function requireChangeableResource<Row>(
  kind: ResourceLookup<Row>,
  context: WriteOperationContext,
  id: string,
): Promise<Row> {
  const row = await requireResource(kind, context, id);
  kind.requireChangeable?.(row, context.actor);
  return row;
}

/** The reason of the caller, if the kind accepts one. */
function parseReason(
  kind: Pick<WritableResourceKind<never, never, ResourceObject>, 'increasesSpending'>,
  fields: unknown,
): string | null {
  const given = kind.increasesSpending && isJsonObject(fields) ? fields['reason'] : null;
  return typeof given === 'string' ? given : null;
}

/** @throws Fault `reason_required`, `step_up_required` */
function requireReasonForIncrease<Row, Config, View extends ResourceObject>(
  kind: WritableResourceKind<Row, Config, View>,
  { actor, clock }: WriteOperationContext,
  { row, config }: { readonly row: Row; readonly config: Config | null },
  reason: string | null,
): void {
  if (kind.increasesSpending?.(row, config)) requireReasonAndStepUp(actor, reason, clock.now());
}

async function createResource<Row, Config, View extends ResourceObject>(
  kind: WritableResourceKind<Row, Config, View>,
  context: WriteOperationContext,
  config: Config,
  reason: string | null,
) {
  await countNewResourceWithinLimit(kind.kind, context);
  const row = await kind.insert(context, config);
  const answer = await kind.toResource(row, context);
  return {
    answer,
    audit: { subject: answer.id, before: null, after: auditViewOf(kind, row, answer), reason },
  };
}

/** Updates a resource. Setting the current values changes nothing. */
async function updateResource<Row, Config, View extends ResourceObject>(
  kind: WritableResourceKind<Row, Config, View>,
  context: WriteOperationContext,
  change: { readonly row: Row; readonly config: Config },
  reason: string | null,
) {
  const { row, config } = change;
  requireReasonForIncrease(kind, context, change, reason);
  const before = await kind.toResource(row, context);
  const next = await kind.update(context, row, config);
  if (next === null) return { answer: before, audit: 'unchanged' as const };
  const answer = await kind.toResource(next, context);
  const audit = {
    subject: answer.id,
    before: auditViewOf(kind, row, before),
    after: auditViewOf(kind, next, answer),
    reason,
  };
  return { answer, audit };
}

function auditViewOf<Row, Config, View extends ResourceObject>(
  kind: WritableResourceKind<Row, Config, View>,
  row: Row,
  view: View,
): JsonObject | null {
  return kind.toAuditView ? kind.toAuditView(view, row) : view;
}
