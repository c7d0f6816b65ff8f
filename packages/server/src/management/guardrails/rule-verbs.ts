import { ruleRemoval } from '@floe/contract/api/guardrails';
import { idParams, page, pageQuery } from '@floe/contract/api/page';
import type { BudgetConfig, LimitConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import { newId } from '../../core/ids.ts';
import { removeRule } from '../../store/guardrail-rules.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import type { RuleHost } from './rule-host.ts';
import { mustBeChangeable, mustBeMeant, type RuleKind } from './rule-kind.ts';
import { asWritten, RulesOf } from './rules-of.ts';

interface Shapes<View extends JsonObject> {
  readonly answer: z.ZodType<View, View>;
  readonly body: z.ZodObject;
  readonly replacement: z.ZodObject;
}

type AnyConfig = LimitConfig | BudgetConfig;

/** The verbs of limits or of budgets: one subject, two kinds. */
export function ruleVerbs<Config extends AnyConfig, View extends JsonObject>(
  kind: RuleKind<Config, View>,
  shapes: Shapes<View>,
  host: RuleHost,
): readonly Verb[] {
  const rules = new RulesOf(kind, host);
  return [
    listVerb(rules, shapes),
    getVerb(rules, shapes),
    createVerb(rules, shapes),
    updateVerb(rules, shapes),
    replaceVerb(rules, shapes),
    deleteVerb(rules),
  ];
}

function listVerb<Config extends AnyConfig, View extends JsonObject>(
  rules: RulesOf<Config, View>,
  shapes: Shapes<View>,
): Verb {
  const { kind } = rules;
  return readVerb({
    name: `${kind.kind}.list`,
    method: 'GET',
    path: `/api/management/${kind.kind}`,
    scope: 'management',
    summary: `List ${kind.kind} with what is used of them: those of floe.yaml first, then newest first`,
    query: pageQuery,
    answer: page(shapes.answer),
    run: (context, { query }) => rules.list(context, query.limit, query.cursor),
  });
}

function getVerb<Config extends AnyConfig, View extends JsonObject>(
  rules: RulesOf<Config, View>,
  shapes: Shapes<View>,
): Verb {
  const { kind } = rules;
  return readVerb({
    name: `${kind.kind}.get`,
    method: 'GET',
    path: `/api/management/${kind.kind}/{id}`,
    scope: 'management',
    summary: `Read one ${kind.one}`,
    live: ['state'],
    params: idParams,
    answer: shapes.answer,
    run: async (context, { params }) =>
      rules.view(context, await rules.existing(context.reader, context.orgId, params.id)),
  });
}

function createVerb<Config extends AnyConfig, View extends JsonObject>(
  rules: RulesOf<Config, View>,
  shapes: Shapes<View>,
): Verb {
  const { kind } = rules;
  return writeVerb({
    name: `${kind.kind}.create`,
    method: 'POST',
    path: `/api/management/${kind.kind}`,
    scope: 'management',
    summary: `Create a ${kind.one}`,
    body: shapes.body,
    answer: shapes.answer,
    status: 201,
    changes: 'guardrails',
    run: (context, { body }) => rules.put(context, newId(kind.prefix, context.clock.now()), null, body),
  });
}

function updateVerb<Config extends AnyConfig, View extends JsonObject>(
  rules: RulesOf<Config, View>,
  shapes: Shapes<View>,
): Verb {
  const { kind } = rules;
  return writeVerb({
    name: `${kind.kind}.update`,
    method: 'PATCH',
    path: `/api/management/${kind.kind}/{id}`,
    scope: 'management',
    summary: `Change some fields of a ${kind.one}; null clears`,
    params: idParams,
    body: shapes.body,
    answer: shapes.answer,
    status: 200,
    changes: 'guardrails',
    async run(context, { params, body }) {
      const before = await rules.existing(context.writer, context.orgId, params.id);
      return rules.put(context, before.id, before, { ...before.config, ...body });
    },
  });
}

function replaceVerb<Config extends AnyConfig, View extends JsonObject>(
  rules: RulesOf<Config, View>,
  shapes: Shapes<View>,
): Verb {
  const { kind } = rules;
  return writeVerb({
    name: `${kind.kind}.replace`,
    method: 'PUT',
    path: `/api/management/${kind.kind}/{id}`,
    scope: 'management',
    summary: `Create or replace the ${kind.one} with this id; what GET returned is accepted`,
    params: z.strictObject({ id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'is no id') }),
    body: shapes.replacement,
    answer: shapes.answer,
    status: 200,
    changes: 'guardrails',
    run: async (context, { params, body }) =>
      rules.put(context, params.id, await rules.find(context.writer, context.orgId, params.id), body),
  });
}

function deleteVerb<Config extends AnyConfig, View extends JsonObject>(rules: RulesOf<Config, View>): Verb {
  const { kind } = rules;
  return writeVerb({
    name: `${kind.kind}.delete`,
    method: 'DELETE',
    path: `/api/management/${kind.kind}/{id}`,
    scope: 'management',
    summary: `Remove a ${kind.one}`,
    params: idParams,
    query: ruleRemoval,
    answer: z.null(),
    status: 204,
    changes: 'guardrails',
    async run(context, { params, query }) {
      const { writer, orgId, actor, clock } = context;
      const reason = query.reason ?? null;
      const before = await rules.existing(writer, orgId, params.id);
      mustBeChangeable(kind.one, before);
      if (kind.raises(before.config, null)) mustBeMeant(actor, reason, clock.now());
      await removeRule(writer, kind.kind, orgId, before.id);
      const view = await rules.view(context, before);
      return { answer: null, audit: { subject: before.id, before: asWritten(view), after: null, reason } };
    },
  });
}
