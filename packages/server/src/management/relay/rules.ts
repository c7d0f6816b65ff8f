import { idParams, page, pageQuery } from '@floe/contract/api/page';
import { relayRule, relayRuleBody } from '@floe/contract/api/relay-management';
import * as z from 'zod';
import { idFor, newId } from '../../core/ids.ts';
import { removeRule } from '../../store/guardrail-rules.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';
import { mustBeChangeable, RelayRules } from './relay-rules.ts';

const at = '/api/management/relay/rules';
/** What changes of a rule without anybody changing it. */
const LIVE = ['hits', 'mode'] as const;
const ruleId = z.strictObject({ id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'is no id') });

/** The rules of the relay: those of floe.yaml can be read, the others changed. */
export function relayRuleVerbs(host: RelayHost): readonly Verb[] {
  const rules = new RelayRules(host);
  return [
    readVerb({
      name: 'relay_rules.list',
      method: 'GET',
      path: at,
      scope: 'management',
      summary:
        'List rules of the relay with how often they applied: those of floe.yaml first, then newest first',
      query: pageQuery,
      answer: page(relayRule),
      run: (context, { query }) => rules.list(context, query.limit, query.cursor),
    }),
    readVerb({
      name: 'relay_rules.get',
      method: 'GET',
      path: `${at}/{id}`,
      scope: 'management',
      summary: 'Read one rule of the relay',
      live: LIVE,
      params: idParams,
      answer: relayRule,
      run: async (context, { params }) =>
        rules.view(context, await rules.existing(context.reader, context.orgId, params.id)),
    }),
    ...changingVerbs(rules),
  ];
}

function changingVerbs(rules: RelayRules): readonly Verb[] {
  const written = { answer: relayRule, body: relayRuleBody, scope: 'management', changes: 'relay' } as const;
  return [
    writeVerb({
      ...written,
      name: 'relay_rules.create',
      method: 'POST',
      path: at,
      summary: 'Create a rule of the relay',
      status: 201,
      idempotent: true,
      run(context, { body, idempotencyKey }) {
        const { orgId, clock } = context;
        const seed = `relay_rules\n${orgId}\n${idempotencyKey}`;
        const id = idempotencyKey === undefined ? newId('rlr', clock.now()) : idFor('rlr', seed);
        return rules.put(context, id, body);
      },
    }),
    writeVerb({
      ...written,
      name: 'relay_rules.update',
      method: 'PATCH',
      path: `${at}/{id}`,
      summary: 'Change some fields of a rule; null clears',
      params: idParams,
      status: 200,
      async run(context, { params, body }) {
        const before = await rules.existing(context.writer, context.orgId, params.id);
        return rules.put(context, before.id, { ...before.config, ...body });
      },
    }),
    writeVerb({
      ...written,
      name: 'relay_rules.replace',
      method: 'PUT',
      path: `${at}/{id}`,
      summary: 'Create or replace the rule with this id; what GET returned is accepted',
      params: ruleId,
      status: 200,
      run: (context, { params, body }) => rules.put(context, params.id, body),
    }),
    deleteVerb(rules),
  ];
}

function deleteVerb(rules: RelayRules): Verb {
  return writeVerb({
    name: 'relay_rules.delete',
    method: 'DELETE',
    path: `${at}/{id}`,
    scope: 'management',
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
