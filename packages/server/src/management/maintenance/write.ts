import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { textsIn } from '../../monitoring/book.ts';
import { changeWindow, insertWindow, type MaintenanceRow } from '../../store/monitoring/maintenance.ts';
import type { Writer } from '../../store/ports.ts';
import type { MonitoringHost } from '../monitors/monitoring-host.ts';
import type { Change, VerbContext } from '../verb.ts';
import { type WindowFields, windowDraft } from './draft.ts';
import { windowAnswer, windowShown } from './view.ts';

type Context = VerbContext & { readonly writer: Writer };

interface Done {
  readonly answer: MaintenanceWindow;
  readonly audit: Change | 'unchanged';
}

export async function addWindow(
  { orgId, actor, clock, writer }: Context,
  id: string,
  fields: WindowFields,
  host: MonitoringHost,
): Promise<Done> {
  const now = clock.now();
  const row: MaintenanceRow = {
    org_id: orgId,
    id,
    ...(await windowDraft(writer, orgId, fields, host.timezone(orgId))),
    created_at: now,
    updated_at: now,
    updated_by: actor.id,
  };
  await insertWindow(writer, row);
  return {
    answer: windowAnswer(row, host.engine.sight().nowMs),
    audit: { subject: id, before: null, after: windowShown(row) },
  };
}

/** Gives a window other settings; the ones it has change nothing. */
export async function replaceWindow(
  { orgId, actor, clock, writer }: Context,
  row: MaintenanceRow,
  fields: WindowFields,
  host: MonitoringHost,
): Promise<Done> {
  const named = textsIn(row.monitors_json);
  const columns = await windowDraft(writer, orgId, fields, host.timezone(orgId), named);
  const nowMs = host.engine.sight().nowMs;
  const stored: Readonly<Record<string, unknown>> = { ...row };
  if (Object.entries(columns).every(([column, value]) => stored[column] === value))
    return { answer: windowAnswer(row, nowMs), audit: 'unchanged' };
  const next = { ...row, ...columns, updated_at: clock.now(), updated_by: actor.id };
  await changeWindow(writer, next);
  return {
    answer: windowAnswer(next, nowMs),
    audit: { subject: row.id, before: windowShown(row), after: windowShown(next) },
  };
}
