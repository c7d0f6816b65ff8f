import { operator, operatorGrant, operatorList } from '@floe/contract/api/operators';
import { idParams, listQuery } from '@floe/contract/api/page';
import { ROLES } from '@floe/contract/roles';
import * as z from 'zod';
import { addOperator, removeOperator } from '../../platform/operators.ts';
import { allOperators, type OperatorWithUser } from '../../store/operators.ts';
import { type ListPlace, listPage } from '../list-page.ts';
import { readVerb, writeVerb } from '../verb.ts';

/** What verbs about the installation have in common: no platform key has the power of an operator. */
const BY_OPERATORS = { scope: 'management', roles: ROLES, operator: true, keys: false } as const;

export const listOperators = readVerb({
  ...BY_OPERATORS,
  name: 'operators.list',
  method: 'GET',
  path: '/api/management/operators',
  summary: 'List the operators of the installation, the first one first',
  answer: operatorList,
  query: listQuery(['granted']),
  run: async ({ reader }, { query }) => listPage((await allOperators(reader)).map(viewOf), placeOf, query),
});

export const grantOperator = writeVerb({
  ...BY_OPERATORS,
  name: 'operators.grant',
  method: 'POST',
  path: '/api/management/operators',
  stepUp: true,
  summary: 'Make somebody who has an account an operator of the installation',
  body: operatorGrant,
  answer: operator,
  status: 201,
  changes: 'keys',
  async run({ actor, clock, writer }, { body }) {
    const row = await addOperator(writer, body.email, { by: actor.id, nowMs: clock.now() });
    const after = viewOf(row);
    return { answer: after, audit: { subject: row.user_id, before: null, after } };
  },
});

export const revokeOperator = writeVerb({
  ...BY_OPERATORS,
  name: 'operators.revoke',
  method: 'DELETE',
  path: '/api/management/operators/{id}',
  stepUp: true,
  summary: 'Take the operator role from somebody, by their user id; the last operator stays',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: 'keys',
  async run({ writer }, { params }) {
    const row = await removeOperator(writer, params.id);
    return { answer: null, audit: { subject: row.user_id, before: viewOf(row), after: null } };
  },
});

function viewOf({ user_id, email, name, granted_at, granted_by }: OperatorWithUser) {
  return { user_id, email, name, granted_at: new Date(granted_at).toISOString(), granted_by };
}

function placeOf({ user_id: id, name, granted_at }: ReturnType<typeof viewOf>): ListPlace {
  return { id, name, at: Date.parse(granted_at) };
}
