import type { MonitorConfig } from '@floe/contract/config';
import { newId } from '../core/ids.ts';
import { USUAL_FILE } from '../platform/file-place.ts';
import { appendAudit } from '../store/audit.ts';
import {
  defaultGrace,
  type MonitorRow,
  monitorsOfOrg,
  putDefaultGrace,
  updateMonitor,
} from '../store/monitoring/definitions.ts';
import type { Writer } from '../store/ports.ts';
import { definitionColumns, definitionOf } from './definition.ts';
import { type Changing, changeClock, createMonitor, disableMonitor, replaceMonitor } from './monitors.ts';

/** An org of floe.yaml as far as monitors are concerned. */
export interface FileOrg {
  readonly id: string;
  /** Name of the file. */
  readonly file?: string;
  readonly timezone: string;
  readonly graceMs: number;
  readonly monitors: readonly { readonly config: MonitorConfig; readonly line: number | null }[];
}

/**
 * Brings the monitors of floe.yaml into the store: one with an equal id is taken over with its history, wherever it was
 * made; one that left the file is disabled. Every difference is audited; no difference writes nothing.
 *
 * @throws Fault `invalid_request` for a cron expression that cannot be read.
 */
export async function syncFileMonitors(
  changing: Omit<Changing, 'actor' | 'source'>,
  orgs: readonly FileOrg[],
): Promise<void> {
  for (const org of orgs)
    await syncOrg(
      { ...changing, actor: 'file', source: { kind: 'file', file: org.file ?? USUAL_FILE, line: null } },
      org,
    );
}

async function syncOrg(changing: Changing, org: FileOrg): Promise<void> {
  const { writer } = changing;
  const stored = await monitorsOfOrg(writer, org.id);
  await setDefaultGrace(changing, org.id, org.graceMs, stored);
  const byId = new Map(stored.map((row) => [row.id, row]));
  for (const { config, line } of org.monitors) {
    const row = byId.get(config.id);
    byId.delete(config.id);
    const here: Changing = { ...changing, source: { ...changing.source, line } };
    const definition = definitionOf(config, org.timezone);
    if (!row) await audit(here, 'monitors.create', null, await createMonitor(here, org.id, definition));
    else if (differs(row, { ...definitionColumns(definition), source: 'file', disabled_at: null }))
      await audit(here, 'monitors.update', row, await replaceMonitor(here, row, definition));
    else await keepPlace(writer, row, here.source);
  }
  for (const row of byId.values()) {
    if (row.source !== 'file' || row.disabled_at !== null) continue;
    await disableMonitor(changing, row);
    await audit(changing, 'monitors.disable', row, { ...row, disabled_at: changing.nowMs });
  }
}

/** That a monitor moved in the file, or the file was renamed, is no change of it. */
async function keepPlace(writer: Writer, row: MonitorRow, { file, line }: Changing['source']): Promise<void> {
  const place = { source_file: file ?? null, source_line: line };
  if (differs(row, place)) await updateMonitor(writer, row.uid, place);
}

/** The org's grace; monitors that inherit it, and only those, go on with the new one. */
export async function setDefaultGrace(
  changing: Changing,
  orgId: string,
  graceMs: number,
  monitors: readonly MonitorRow[],
): Promise<void> {
  if ((await defaultGrace(changing.writer, orgId)) === graceMs) return;
  await putDefaultGrace(changing.writer, orgId, graceMs);
  for (const row of monitors)
    if (row.grace_ms === null && row.disabled_at === null) await changeClock(changing, row);
}

function differs(row: MonitorRow, wanted: Partial<MonitorRow>): boolean {
  const stored: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries(wanted).some(([column, value]) => stored[column] !== value);
}

async function audit(
  { writer, nowMs, actor }: Changing,
  action: string,
  before: MonitorRow | null,
  after: MonitorRow,
): Promise<void> {
  await appendAudit(writer, {
    id: newId('aud', nowMs),
    org_id: after.org_id,
    at: nowMs,
    actor,
    action,
    subject: after.id,
    before_json: before && JSON.stringify(shown(before)),
    after_json: JSON.stringify(shown(after)),
  });
}

/** A monitor as the audit log keeps it. */
function shown(row: MonitorRow) {
  const { uid: _uid, org_id: _org, source_file: _file, source_line: _line, ...rest } = row;
  return rest;
}
