import { redactJson } from '@floe/conditions/detect/json-texts';
import { isObject } from '@floe/contract/json';
import { idFor, newId } from '../core/ids.ts';
import type { RelayRow } from '../store/relay/ingest.ts';
import type { Asker } from './asker.ts';

/** Something that has happened, as a client tells it. */
export interface Report {
  readonly id?: string | undefined;
  readonly type: string;
  readonly at?: string | undefined;
  readonly session_id?: string | undefined;
  readonly tool_use_id?: string | undefined;
  readonly agent: { readonly name: string; readonly version?: string | undefined };
  readonly details: Readonly<Record<string, unknown>>;
}

const DETAILS_CHARACTERS = 8_192;
const DAY_MS = 24 * 3_600_000;

/** The row of a report. A report told again has the id of the first; a time that cannot be is that of its arrival. */
export function reportRow(asker: Asker, report: Report, nowMs: number): RelayRow {
  const said = report.at === undefined ? nowMs : Date.parse(report.at);
  const at = said > nowMs || said < nowMs - 7 * DAY_MS ? nowMs : said;
  return {
    table: 'relay_reports',
    row: {
      id:
        report.id === undefined
          ? newId('rep', nowMs)
          : idFor('rep', `${asker.orgId}\n${asker.keyId}\n${report.id}`),
      org_id: asker.orgId,
      created_at: at,
      type: report.type,
      session_id: report.session_id ?? null,
      tool_use_id: report.tool_use_id ?? null,
      agent: report.agent.name,
      agent_version: report.agent.version ?? null,
      key_id: asker.keyId,
      key_name: asker.key,
      owner: asker.owner,
      details_json: detailsOf(report.details),
    },
  };
}

function detailsOf(details: Report['details']): string {
  const json = JSON.stringify(details);
  if (json.length > DETAILS_CHARACTERS) return JSON.stringify({ too_long: json.length });
  const { json: masked } = redactJson(json, new Set(['secret']));
  return isObject(JSON.parse(masked)) ? masked : '{}';
}
