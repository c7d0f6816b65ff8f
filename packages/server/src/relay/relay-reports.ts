import { redactJson } from '@floe/conditions/detect/redact';
import type { RelayConfig } from '@floe/contract/config';
import { isJsonObject } from '@floe/contract/json';
import { createId, deriveId } from '../core/ids.ts';
import type { RelaySpoolRow } from '../store/relay/ingest-relay-spool-region.ts';
import type { RelayCaller } from './relay-caller.ts';
import { MASKED_FINDING_KINDS } from './stored-relay-event.ts';

/** An agent's report about an action that it has already performed. */
export interface RelayReport {
  readonly id?: string | undefined;
  readonly type: string;
  readonly at?: string | undefined;
  readonly session_id?: string | undefined;
  readonly tool_use_id?: string | undefined;
  readonly agent: { readonly name: string; readonly version?: string | undefined };
  readonly details: Readonly<Record<string, unknown>>;
}

const MAX_DETAILS_CHARACTERS = 8_192;
const DAY_MS = 24 * 3_600_000;

/**
 * Converts a report to a row. A report that is sent again with the same id gets the same row id. A time in the
 * future or more than seven days ago is replaced with the time of arrival. The details can contain commands and
 * paths. `keepText` determines whether the row has them.
 */
export function toRelayReportRow(
  caller: RelayCaller,
  report: RelayReport,
  nowMs: number,
  keepText: RelayConfig['keep_text'],
): RelaySpoolRow {
  const said = report.at === undefined ? nowMs : Date.parse(report.at);
  const at = said > nowMs || said < nowMs - 7 * DAY_MS ? nowMs : said;
  return {
    table: 'relay_reports',
    row: {
      id:
        report.id === undefined
          ? createId('rep', nowMs)
          : deriveId('rep', `${caller.orgId}\n${caller.keyId}\n${report.id}`),
      org_id: caller.orgId,
      created_at: at,
      type: report.type,
      session_id: report.session_id ?? null,
      tool_use_id: report.tool_use_id ?? null,
      agent: report.agent.name,
      agent_version: report.agent.version ?? null,
      key_id: caller.keyId,
      key_name: caller.keyName,
      owner: caller.owner,
      details_json: keepText === 'none' ? '{}' : serializeDetails(report.details),
    },
  };
}

function serializeDetails(details: RelayReport['details']): string {
  const json = JSON.stringify(details);
  if (json.length > MAX_DETAILS_CHARACTERS) return JSON.stringify({ too_long: json.length });
  const { json: masked } = redactJson(json, MASKED_FINDING_KINDS);
  return isJsonObject(JSON.parse(masked)) ? masked : '{}';
}
