import { createPageSchema } from '@floe/contract/api/page';
import {
  relayReportBatch,
  relayReportBatchResult,
  relayReportListQuery,
  storedRelayReport,
} from '@floe/contract/api/relay';
import { isJsonObject } from '@floe/contract/json';
import { toRelayReportRow } from '../../relay/relay-reports.ts';
import { getRelayReportPage } from '../../store/relay/relay-reports.ts';
import type { RelayReportsTable } from '../../store/relay/relay-tables.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { type RelayDependencies, resolveReadableKeyId, toRelayCaller } from './relay-dependencies.ts';

/**
 * Defines the operation that stores reports of completed agent actions. Floe writes each report to disk within
 * 10 ms. The report appears in the list of reports shortly afterwards.
 */
export function defineRecordRelayReportsOperation({ rowSink, orgRelays }: RelayDependencies): Operation {
  return defineReadOperation({
    name: 'relay.report',
    method: 'POST',
    path: '/relay/v1/events',
    scope: 'relay',
    summary: 'Record agent activity (results, edits, sessions) without requesting a decision',
    body: relayReportBatch,
    answer: relayReportBatchResult,
    async run({ actor, clock, orgId }, { body }) {
      const asker = toRelayCaller(actor);
      const { keep_text } = orgRelays.get(orgId).relay.config;
      for (const report of body.events)
        rowSink.append(toRelayReportRow(asker, report, clock.now(), keep_text));
      return { accepted: body.events.length };
    },
  });
}

/**
 * The operation that lists the activity that agents reported (`GET /relay/v1/events`). A key that has only
 * the scope `relay` can list only its own reports.
 */
export const listRelayReportsOperation = defineReadOperation({
  name: 'relay.events',
  method: 'GET',
  path: '/relay/v1/events',
  scope: ['relay', 'management'],
  summary: 'List reports of agent activity, newest first',
  query: relayReportListQuery,
  answer: createPageSchema(storedRelayReport),
  async run({ reader, orgId, actor }, { query }) {
    const { limit, cursor, session, type } = query;
    const found = await getRelayReportPage(reader, {
      orgId,
      keyId: resolveReadableKeyId(actor),
      limit,
      cursor,
      session,
      type,
      ...parseTimeRange(query),
    });
    return { data: found.rows.map(toReportResource), next_cursor: found.nextCursor };
  },
});

function toReportResource(row: RelayReportsTable) {
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
    details: isJsonObject(details) ? { ...details } : {},
  };
}
