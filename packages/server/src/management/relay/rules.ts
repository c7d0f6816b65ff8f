import { idParams, page, pageQuery } from '@floe/contract/api/page';
import { relayRule, relayRuleBody } from '@floe/contract/api/relay-management';
import * as z from 'zod';
import { idFor, newId } from '../../core/ids.ts';
import { removeRule } from '../../store/guardrail-rules.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';
import { mustBeChangeable, RelayRules } from './relay-rules.ts';

const path = '/api/management/relay/rules';
const scope = 'management';
/** What changes of a rule without anybody changing it. */
const LIVE = ['hits', 'mode'] as const;
const ruleId = z.strictObject({ id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'is no id') });

/** The rules of the relay: those of floe.yaml can be read, the others changed. */
export function relayRuleVerbs(host: RelayHost): readonly Verb[] {
  const rules = new RelayRules(host);
  return [
    listVerb(rules),
    getVerb(rules),
    createVerb(rules),
    updateVerb(rules),
    replaceVerb(rules),
    deleteVerb(rules),
  ];
}

function listVerb(rules: RelayRules): Verb {
  return readVerb({
    name: 'relay_rules.list',
    method: 'GET',
    path,
    scope,
    summary:
      'List rules of the relay with how often they applied: those of floe.yaml first, then newest first',
    live: LIVE,
    query: pageQuery,
    answer: page(relayRule),
    run: (context, { query }) => rules.list(context, query.limit, query.cursor),
  });
}

function getVerb(rules: RelayRules): Verb {
  return readVerb({
    name: 'relay_rules.get',
    method: 'GET',
    path: `${path}/{id}`,
    scope,
    summary: 'Read one rule of the relay',
    live: LIVE,
    params: idParams,
    answer: relayRule,
    run: async (context, { params }) =>
      rules.view(context, await rules.existing(context.reader, context.orgId, params.id)),
  });
}

function createVerb(rules: RelayRules): Verb {
  return writeVerb({
    name: 'relay_rules.create',
    method: 'POST',
    path,
    scope,
    summary: 'Create a rule of the relay',
    body: relayRuleBody,
    answer: relayRule,
    status: 201,
    idempotent: true,
    changes: 'relay',
    run(context, { body, idempotencyKey }) {
      const { orgId, clock } = context;
      const seed = `relay_rules\n${orgId}\n${idempotencyKey}`;
      const id = idempotencyKey === undefined ? newId('rlr', clock.now()) : idFor('rlr', seed);
      return rules.put(context, id, body);
    },
  });
}

function updateVerb(rules: RelayRules): Verb {
  return writeVerb({
    name: 'relay_rules.update',
    method: 'PATCH',
    path: `${path}/{id}`,
    scope,
    summary: 'Change some fields of a rule; null clears',
    params: idParams,
    body: relayRuleBody,
    answer: relayRule,
    status: 200,
    changes: 'relay',
    async run(context, { params, body }) {
      const before = await rules.existing(context.writer, context.orgId, params.id);
      return rules.put(context, before.id, { ...before.config, ...body });
    },
  });
}

function replaceVerb(rules: RelayRules): Verb {
  return writeVerb({
    name: 'relay_rules.replace',
    method: 'PUT',
    path: `${path}/{id}`,
    scope,
    summary: 'Create or replace the rule with this id; what GET returned is accepted',
    params: ruleId,
    body: relayRuleBody,
    answer: relayRule,
    status: 200,
    changes: 'relay',
    run: (context, { params, body }) => rules.put(context, params.id, body),
  });
}

function deleteVerb(rules: RelayRules): Verb {
  return writeVerb({
    name: 'relay_rules.delete',
    method: 'DELETE',
    path: `${path}/{id}`,
    scope,
    summary: 'Remove a rule of the relay',
    params: idParams,
    answer: z.null(),
    status: 204,
    changes: 'relay',
    async run(context, { params }) {
      const { writer, orgId } = context;
      const before = await rules.existing(writer, orgId, params.id);
      mustBeChangeable(before);
      await removeRule(writer, 'relay_rules', orgId, before.id);
      const view = await rules.view({ ...context, reader: writer }, before);
      return { answer: null, audit: { subject: before.id, before: view, after: null } };
    },
  });
}
