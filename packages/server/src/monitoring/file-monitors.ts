import type { MonitorConfig } from '@floe/contract/config';
import { newId } from '../core/ids.ts';
import { USUAL_FILE } from '../platform/file-place.ts';
import { appendAudits, type NewAudit } from '../store/audit.ts';
import {
  defaultGrace,
  type MonitorRow,
  monitorsOfOrg,
  putDefaultGrace,
} from '../store/monitoring/definitions.ts';
import { definitionColumns, definitionOf } from './definition.ts';
import { MonitorChanges } from './monitor-changes.ts';
import type { Changing } from './monitors.ts';

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
  const changes = new MonitorChanges(changing);
  const audited: NewAudit[] = [];
  await followDefaultGrace(changing, changes, org.id, org.graceMs, stored);
  const byId = new Map(stored.map((row) => [row.id, row]));
  for (const { config, line } of org.monitors) {
    const row = byId.get(config.id);
    byId.delete(config.id);
    const source = { ...changing.source, line };
    const definition = definitionOf(config, org.timezone);
    if (!row)
      audited.push(audit(changing, 'monitors.create', null, changes.create(org.id, definition, source)));
    else if (differs(row, { ...definitionColumns(definition), source: 'file', disabled_at: null }))
      audited.push(audit(changing, 'monitors.update', row, changes.replace(row, definition, source)));
    else if (differs(row, { source_file: source.file ?? null, source_line: source.line }))
      changes.move(row, source);
  }
  for (const row of byId.values())
    if (row.source === 'file' && row.disabled_at === null)
      audited.push(audit(changing, 'monitors.disable', row, changes.end(row, 'pause')));
  await changes.write();
  await appendAudits(writer, audited);
}

/** The org's grace; monitors that inherit it, and only those, go on with the new one. */
export async function setDefaultGrace(
  changing: Changing,
  orgId: string,
  graceMs: number,
  monitors: readonly MonitorRow[],
): Promise<void> {
  const changes = new MonitorChanges(changing);
  await followDefaultGrace(changing, changes, orgId, graceMs, monitors);
  await changes.write();
}

async function followDefaultGrace(
  { writer }: Changing,
  changes: MonitorChanges,
  orgId: string,
  graceMs: number,
  monitors: readonly MonitorRow[],
): Promise<void> {
  if ((await defaultGrace(writer, orgId)) === graceMs) return;
  await putDefaultGrace(writer, orgId, graceMs);
  for (const row of monitors) if (row.grace_ms === null && row.disabled_at === null) changes.follow(row);
}

function differs(row: MonitorRow, wanted: Partial<MonitorRow>): boolean {
  const stored: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries(wanted).some(([column, value]) => stored[column] !== value);
}

function audit(
  { nowMs, actor }: Changing,
  action: string,
  before: MonitorRow | null,
  after: MonitorRow,
): NewAudit {
  return {
    id: newId('aud', nowMs),
    org_id: after.org_id,
    at: nowMs,
    actor,
    action,
    subject: after.id,
    before_json: before && JSON.stringify(shown(before)),
    after_json: JSON.stringify(shown(after)),
  };
}

/** A monitor as the audit log keeps it. */
function shown(row: MonitorRow) {
  const { uid: _uid, org_id: _org, source_file: _file, source_line: _line, ...rest } = row;
  return rest;
}
