import { idParams, listQuery, page } from '@floe/contract/api/page';
import type { PolicyConfig, RouteConfig } from '@floe/contract/config';
import { isObject, type JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import type { RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import { OrderedEntries } from './ordered-entries.ts';
import type { OrderedKind } from './ordered-kind.ts';

interface Shapes<View extends JsonObject> {
  readonly answer: z.ZodType<View, View>;
  readonly body: z.ZodObject;
}

type AnyConfig = RouteConfig | PolicyConfig;

/** The verbs of routes or of policies: one subject, two kinds. */
export function orderedVerbs<Config extends AnyConfig, View extends JsonObject>(
  kind: OrderedKind<Config, View>,
  shapes: Shapes<View>,
  orgs: RunningOrgs,
): readonly Verb[] {
  const entries = new OrderedEntries(kind, orgs);
  return [...readVerbs(entries, shapes), ...writeVerbs(entries, shapes)];
}

function readVerbs<Config extends AnyConfig, View extends JsonObject>(
  entries: OrderedEntries<Config, View>,
  { answer }: Shapes<View>,
): readonly Verb[] {
  const { kind, one } = entries.kind;
  return [
    readVerb({
      name: `${kind}.list`,
      method: 'GET',
      path: `/api/management/${kind}`,
      scope: 'management',
      summary: `List ${kind} in the order that counts: those of floe.yaml first`,
      query: listQuery(['position']),
      answer: page(answer),
      run: (context, { query }) => entries.list(context, query),
    }),
    readVerb({
      name: `${kind}.get`,
      method: 'GET',
      path: `/api/management/${kind}/{id}`,
      scope: 'management',
      summary: `Read one ${one}`,
      params: idParams,
      answer,
      run: (context, { params }) => entries.get(context, params.id),
    }),
  ];
}

function writeVerbs<Config extends AnyConfig, View extends JsonObject>(
  entries: OrderedEntries<Config, View>,
  { answer, body }: Shapes<View>,
): readonly Verb[] {
  const { kind, one } = entries.kind;
  const path = `/api/management/${kind}/{id}` as const;
  const common = { scope: 'management', changes: 'config' } as const;
  return [
    writeVerb({
      ...common,
      name: `${kind}.create`,
      method: 'POST',
      path: `/api/management/${kind}`,
      summary: `Create a ${one}; it is in force when this is answered`,
      body,
      answer,
      status: 201,
      run: (context, input) => entries.create(context, fieldsOf(input.sent)),
    }),
    writeVerb({
      ...common,
      name: `${kind}.update`,
      method: 'PATCH',
      path,
      summary: `Change some fields of a ${one}, or its place; null returns to the default`,
      params: idParams,
      body,
      answer,
      status: 200,
      run: (context, input) => entries.update(context, input.params.id, fieldsOf(input.sent)),
    }),
    writeVerb({
      ...common,
      name: `${kind}.replace`,
      method: 'PUT',
      path,
      summary: `Create or replace the ${one} of this name; what GET returned is accepted`,
      params: idParams,
      body,
      answer,
      status: 200,
      run: (context, input) => entries.replace(context, input.params.id, fieldsOf(input.sent)),
    }),
    writeVerb({
      ...common,
      name: `${kind}.delete`,
      method: 'DELETE',
      path,
      summary: `Remove a ${one}`,
      params: idParams,
      answer: z.null(),
      status: 204,
      run: (context, input) => entries.remove(context, input.params.id),
    }),
  ];
}

/** A body that passed its schema, with its short forms: mistakes are told where the client wrote them. */
function fieldsOf(sent: unknown): JsonObject {
  return isObject(sent) ? sent : {};
}
