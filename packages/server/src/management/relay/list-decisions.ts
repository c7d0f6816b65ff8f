import { idParams, page } from '@floe/contract/api/page';
import { decisionsQuery, keptDecision } from '@floe/contract/api/relay-management';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { type DecisionRow, decisionById, decisionPage } from '../../store/relay/decisions.ts';
import { range } from '../time-range.ts';
import { readVerb } from '../verb.ts';

export const listDecisions = readVerb({
  name: 'relay.decisions',
  method: 'GET',
  path: '/api/management/relay/decisions',
  scope: 'management',
  summary: 'List what agents asked and were answered, newest first',
  query: decisionsQuery,
  answer: page(keptDecision),
  async run({ reader, orgId }, { query }) {
    const found = await decisionPage(reader, { ...query, ...range(query), orgId });
    return { data: found.rows.map(view), next_cursor: found.nextCursor };
  },
});

export const getDecision = readVerb({
  name: 'relay.decision',
  method: 'GET',
  path: '/api/management/relay/decisions/{id}',
  scope: 'management',
  summary: 'Read one decision',
  params: idParams,
  answer: keptDecision,
  async run({ reader, orgId }, { params }) {
    const row = await decisionById(reader, orgId, params.id);
    if (!row) throw new Fault('not_found', 'No decision has this id.');
    return view(row);
  },
});

function view(row: DecisionRow): z.output<typeof keptDecision> {
  const {
    hits_json,
    findings_json,
    event_json: _,
    org_id: __,
    key_id: ___,
    key_name,
    created_at,
    ...rest
  } = row;
  return keptDecision.parse({
    ...rest,
    created_at: new Date(created_at).toISOString(),
    key: key_name,
    hits: JSON.parse(hits_json),
    findings: JSON.parse(findings_json),
  });
}
