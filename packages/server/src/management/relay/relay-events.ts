import { page } from '@floe/contract/api/page';
import { keptReport, relayReports, relayReportsTaken, reportsQuery } from '@floe/contract/api/relay';
import { isObject } from '@floe/contract/json';
import { reportRow } from '../../relay/reports.ts';
import { reportPage } from '../../store/relay/reports.ts';
import type { RelayReportsTable } from '../../store/relay/tables.ts';
import { range } from '../time-range.ts';
import { readVerb, type Verb } from '../verb.ts';
import { askerOf, type RelayHost } from './relay-host.ts';

/** What agents did, told after the fact; on disk within 10 ms, in the list a moment later. */
export function reportEvents({ rows }: RelayHost): Verb {
  return readVerb({
    name: 'relay.report',
    method: 'POST',
    path: '/relay/v1/events',
    scope: 'relay',
    summary: 'Record what agents did: results, edits, sessions; nothing is decided about it',
    body: relayReports,
    answer: relayReportsTaken,
    async run({ actor, clock }, { body }) {
      const asker = askerOf(actor);
      for (const report of body.events) rows.append(reportRow(asker, report, clock.now()));
      return { accepted: body.events.length };
    },
  });
}

export const listEvents = readVerb({
  name: 'relay.events',
  method: 'GET',
  path: '/relay/v1/events',
  scope: ['relay', 'management'],
  summary: 'List what agents did, newest first',
  query: reportsQuery,
  answer: page(keptReport),
  async run({ reader, orgId }, { query }) {
    const { limit, cursor, session, type } = query;
    const found = await reportPage(reader, { orgId, limit, cursor, session, type, ...range(query) });
    return { data: found.rows.map(view), next_cursor: found.nextCursor };
  },
});

function view(row: RelayReportsTable) {
  const details: unknown = JSON.parse(row.details_json);
  return {
    id: row.id,
    created_at: new Date(row.created_at).toISOString(),
    type: row.type,
    session_id: row.session_id,
    tool_use_id: row.tool_use_id,
    agent: row.agent,
    agent_version: row.agent_version,
    key: row.key_name,
    owner: row.owner,
    details: isObject(details) ? { ...details } : {},
  };
}
