import { idParams } from '@floe/contract/api/page';
import { storedExchangeBodies } from '@floe/contract/api/stored-bodies';
import { Fault } from '@floe/contract/faults';
import type { BodyStore } from '../../gateway/bodies/body-store.ts';
import type { Actor } from '../../platform/actor.ts';
import { findStoredBodies } from '../../store/stored-bodies.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';

/**
 * Defines the operation that returns a request's stored bodies. The audit log records each access.
 */
export function defineGetRequestBodiesOperation(bodies: Pick<BodyStore, 'open'>): Operation {
  return defineWriteOperation({
    name: 'requests.bodies',
    method: 'GET',
    status: 200,
    path: '/api/analytics/requests/{id}/bodies',
    scope: 'management',
    isConfidential: true,
    roles: ['owner', 'admin', 'member'],
    summary: 'Read the request and response bodies, if the organization stores them',
    params: idParams,
    answer: storedExchangeBodies,
    invalidates: null,
    async run({ orgId, actor, writer }, { params }) {
      const row = await findStoredBodies(writer, orgId, params.id);
      if (!row || !canReadBodies(actor, row.owner))
        throw new Fault(
          'not_found',
          'No bodies are stored for a request with this id, or you are not allowed to read them. Floe deletes bodies when their retention period ends.',
        );
      const { request, answer } = bodies.open(row);
      const created_at = new Date(row.created_at).toISOString();
      return {
        answer: { id: row.id, created_at, request, answer },
        audit: { subject: row.id, before: null, after: null },
      };
    },
  });
}

/** Owners and admins may read all bodies of the org. Members may read those of their own keys. */
function canReadBodies({ scopes, member }: Actor, owner: string | null): boolean {
  return scopes.has('management') || (member !== null && owner?.toLowerCase() === member.email);
}
