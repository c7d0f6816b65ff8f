import { operatorCreation, operatorList, operatorResource } from '@floe/contract/api/operators';
import { createListQuerySchema, idParams } from '@floe/contract/api/page';
import { MEMBER_ROLES } from '@floe/contract/roles';
import * as z from 'zod';
import { grantOperatorRole, revokeOperatorRole } from '../../platform/operators.ts';
import { listAllOperators, type OperatorWithUser } from '../../store/operators.ts';
import { type ListItemSortAndSearchFields, paginateListForResponse } from '../list-page.ts';
import { defineReadOperation, defineWriteOperation } from '../operation.ts';

/** Access rules of operations for the installation. Platform keys are not accepted. */
const OPERATOR_ACCESS = {
  scope: 'management',
  roles: MEMBER_ROLES,
  requiresOperator: true,
  allowsPlatformKeys: false,
} as const;

/** The operation that lists the operators of the installation (`GET /api/management/operators`). */
export const listOperatorsOperation = defineReadOperation({
  ...OPERATOR_ACCESS,
  name: 'operators.list',
  method: 'GET',
  path: '/api/management/operators',
  summary: 'List the operators of the installation, oldest first',
  answer: operatorList,
  query: createListQuerySchema(['granted']),
  run: async ({ reader }, { query }) =>
    paginateListForResponse(
      (await listAllOperators(reader)).map(toOperatorResource),
      operatorSortFields,
      query,
    ),
});

/** The operation that makes a person an operator (`POST /api/management/operators`). */
export const grantOperatorRoleOperation = defineWriteOperation({
  ...OPERATOR_ACCESS,
  name: 'operators.grant',
  method: 'POST',
  path: '/api/management/operators',
  requiresStepUp: true,
  summary: 'Grant the operator role to a person who has an account',
  body: operatorCreation,
  answer: operatorResource,
  status: 201,
  invalidates: 'keys',
  async run({ actor, clock, writer }, { body }) {
    const row = await grantOperatorRole(writer, body.email, { by: actor.id, nowMs: clock.now() });
    const after = toOperatorResource(row);
    return { answer: after, audit: { subject: row.user_id, before: null, after } };
  },
});

/** The operation that revokes a person's operator role (`DELETE /api/management/operators/{id}`). */
export const revokeOperatorRoleOperation = defineWriteOperation({
  ...OPERATOR_ACCESS,
  name: 'operators.revoke',
  method: 'DELETE',
  path: '/api/management/operators/{id}',
  requiresStepUp: true,
  summary:
    'Revoke the operator role of a person; `id` is the user id of the person; the last operator cannot lose the role',
  params: idParams,
  answer: z.null(),
  status: 204,
  invalidates: 'keys',
  async run({ writer }, { params }) {
    const row = await revokeOperatorRole(writer, params.id);
    return { answer: null, audit: { subject: row.user_id, before: toOperatorResource(row), after: null } };
  },
});

function toOperatorResource({ user_id, email, name, granted_at, granted_by }: OperatorWithUser) {
  return { user_id, email, name, granted_at: new Date(granted_at).toISOString(), granted_by };
}

function operatorSortFields({
  user_id: id,
  name,
  granted_at,
}: ReturnType<typeof toOperatorResource>): ListItemSortAndSearchFields {
  return { id, name, createdAt: Date.parse(granted_at) };
}
