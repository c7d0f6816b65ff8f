import type { TeamConfig } from '@floe/contract/config';
import type { Writer } from '../store/ports.ts';
import { putTeam, removeTeam, type TeamRow, teamsOfOrg, teamUses } from '../store/teams.ts';
import { USUAL_FILE } from './file-place.ts';
import { type FileKind, FileWriter } from './file-writer.ts';
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
  const file = new FileWriter(TEAMS, writer, nowMs);
  for (const org of orgs) {
    const stored = new Map((await teamsOfOrg(writer, org.id)).map((row) => [row.id, row]));
    for (const { config, line } of org.teams) {
      const row = stored.get(config.id);
      stored.delete(config.id);
      const columns = columnsOf(org, config, line);
      if (row) await file.change(row, columns);
      else await file.create({ org_id: org.id, ...columns, created_at: nowMs, ...file.stamps });
    }
    for (const row of stored.values()) if (row.source === 'file') await letGo(writer, file, row);
  }
}

const TEAMS: FileKind<TeamRow> = {
  kind: 'teams',
  subjectOf: ({ id }) => id,
  shown: teamView,
  insert: putTeam,
  update: (writer, row, change) => putTeam(writer, { ...row, ...change }),
  remove: (writer, { org_id, id }) => removeTeam(writer, org_id, id),
};

function columnsOf(
  { file = USUAL_FILE }: FileTeams,
  { id, name, cost_center }: TeamConfig,
  line: number | null,
) {
  const place = { source: 'file', source_file: file, source_line: line };
  return { id, name, cost_center: cost_center ?? null, ...place };
}

async function letGo(writer: Writer, file: FileWriter<TeamRow>, row: TeamRow): Promise<void> {
  const uses = await teamUses(writer, row.org_id, row.id, file.nowMs);
  if (Object.values(uses).every((count) => count === 0)) return file.remove(row);
  await file.change(row, { source: 'console', source_file: null, source_line: null });
}
