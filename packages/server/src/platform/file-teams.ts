import type { TeamConfig } from '@floe/contract/config';
import { newId } from '../core/ids.ts';
import { appendAudit } from '../store/audit.ts';
import type { Writer } from '../store/ports.ts';
import { putTeam, removeTeam, type TeamRow, teamsOfOrg, teamUses } from '../store/teams.ts';
import { USUAL_FILE } from './file-place.ts';
import { teamView } from './stored-team.ts';

/** An org of floe.yaml as far as its teams are concerned. */
export interface FileTeams {
  readonly id: string;
  /** Name of the file. */
  readonly file?: string;
  readonly teams: readonly { readonly config: TeamConfig; readonly line: number | null }[];
}

/**
 * Brings the teams of floe.yaml into the store; one with an equal id is taken over. One that left the file goes,
 * unless members, keys, limits or budgets made here still name it: then it stays, to be changed here. Every
 * difference is audited with the actor `file`; no difference writes nothing. The orgs must be stored.
 */
export async function syncFileTeams(
  writer: Writer,
  orgs: readonly FileTeams[],
  nowMs: number,
): Promise<void> {
  for (const org of orgs) {
    const stored = await teamsOfOrg(writer, org.id);
    const declared = new Set(org.teams.map(({ config }) => config.id));
    for (const { config, line } of org.teams) {
      const row = stored.find(({ id }) => id === config.id) ?? null;
      await take(writer, row, rowOf(org, config, line, row, nowMs));
    }
    for (const row of stored)
      if (row.source === 'file' && !declared.has(row.id)) await letGo(writer, row, nowMs);
  }
}

function rowOf(
  { id: org_id, file: source_file = USUAL_FILE }: FileTeams,
  { id, name, cost_center }: TeamConfig,
  line: number | null,
  before: TeamRow | null,
  nowMs: number,
): TeamRow {
  return {
    org_id,
    id,
    name,
    cost_center: cost_center ?? null,
    source: 'file',
    source_file,
    source_line: line,
    created_at: before?.created_at ?? nowMs,
    updated_at: nowMs,
    updated_by: 'file',
  };
}

async function take(writer: Writer, before: TeamRow | null, row: TeamRow): Promise<void> {
  const stays = (column: 'name' | 'cost_center' | 'source') => before?.[column] === row[column];
  const same = stays('name') && stays('cost_center') && stays('source');
  const { source_file, source_line } = row;
  if (before && same && before.source_line === source_line && before.source_file === source_file) return;
  // That a team moved in the file is no change of it.
  if (before && same) return putTeam(writer, { ...before, source_file, source_line });
  await putTeam(writer, row);
  await audit(writer, before ? 'teams.update' : 'teams.create', before, row, row.updated_at);
}

async function letGo(writer: Writer, row: TeamRow, nowMs: number): Promise<void> {
  const uses = await teamUses(writer, row.org_id, row.id, nowMs);
  if (Object.values(uses).every((count) => count === 0)) {
    await removeTeam(writer, row.org_id, row.id);
    return audit(writer, 'teams.delete', row, null, nowMs);
  }
  const kept = {
    ...row,
    source: 'console',
    source_file: null,
    source_line: null,
    updated_at: nowMs,
    updated_by: 'file',
  };
  await putTeam(writer, kept);
  await audit(writer, 'teams.update', row, kept, nowMs);
}

async function audit(
  writer: Writer,
  action: string,
  before: TeamRow | null,
  after: TeamRow | null,
  nowMs: number,
): Promise<void> {
  const { org_id, id } = after ?? before ?? { org_id: '', id: '' };
  await appendAudit(writer, {
    id: newId('aud', nowMs),
    org_id,
    at: nowMs,
    actor: 'file',
    action,
    subject: id,
    before_json: before && JSON.stringify(teamView(before)),
    after_json: after && JSON.stringify(teamView(after)),
  });
}
