import { createPageSchema, idParams } from '@floe/contract/api/page';
import { relayDecisionListQuery, storedRelayDecision } from '@floe/contract/api/relay-management';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import {
  findRelayDecisionById,
  getRelayDecisionPage,
  type RelayDecisionRow,
} from '../../store/relay/relay-decisions.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';

/** The operation that lists relay decisions (`GET /api/management/relay/decisions`). */
export const listDecisionsOperation = defineReadOperation({
  name: 'relay.decisions',
  method: 'GET',
  path: '/api/management/relay/decisions',
  scope: 'management',
  summary: 'List relay decisions, newest first',
  query: relayDecisionListQuery,
  answer: createPageSchema(storedRelayDecision),
  async run({ reader, orgId }, { query }) {
    const found = await getRelayDecisionPage(reader, { ...query, ...parseTimeRange(query), orgId });
    return { data: found.rows.map(toDecisionResource), next_cursor: found.nextCursor };
  },
});

/** The operation that returns one relay decision (`GET /api/management/relay/decisions/{id}`). */
export const getDecisionOperation = defineReadOperation({
  name: 'relay.decision',
  method: 'GET',
  path: '/api/management/relay/decisions/{id}',
  scope: 'management',
  summary: 'Read one relay decision',
  params: idParams,
  answer: storedRelayDecision,
  async run({ reader, orgId }, { params }) {
    const row = await findRelayDecisionById(reader, orgId, params.id);
    if (!row)
      throw new Fault(
        'not_found',
        'No decision has this id. Floe deletes decisions when their retention period ends.',
      );
    return toDecisionResource(row);
  },
});

function toDecisionResource(row: RelayDecisionRow): z.output<typeof storedRelayDecision> {
  const { matches_json, findings_json, org_id: _, key_id: __, key_name, created_at, ...rest } = row;
  return storedRelayDecision.parse({
    ...rest,
    created_at: new Date(created_at).toISOString(),
    key: key_name,
    matches: JSON.parse(matches_json),
    findings: JSON.parse(findings_json),
  });
}
