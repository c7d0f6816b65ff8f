import type { BoardConfig } from '@floe/contract/config';
import { newId } from '../../core/ids.ts';
import { USUAL_FILE } from '../../platform/file-place.ts';
import { FileRefused } from '../../platform/file-refused.ts';
import { type FileKind, FileWriter } from '../../platform/file-writer.ts';
import {
  allBoards,
  type BoardRow,
  changeBoard,
  deleteBoard,
  insertBoard,
} from '../../store/monitoring/boards.ts';
import type { Writer } from '../../store/ports.ts';

/** What becomes of one that left the file. */
const LEFT = { public: 0, source: 'console', source_file: null, source_line: null };

const TAKEN =
  'is the slug of a board of another organization, and slugs are unique in the installation; take another one, or have that board renamed or deleted first';

/** An org of floe.yaml as far as its boards are concerned. */
export interface FileBoards {
  readonly id: string;
  /** Name of the file. */
  readonly file?: string;
  readonly boards: readonly { readonly config: BoardConfig; readonly line: number | null }[];
}

/**
 * Brings the boards of floe.yaml into the store: one of the org with an equal slug is taken over; one that left the file
 * turns private and can be changed through the API from then on, or goes where the file gives its slug to another org.
 * Every difference is audited; no difference writes nothing.
 *
 * @throws FileRefused when a slug is that of a board that another org has through the API
 */
export async function syncFileBoards(
  writer: Writer,
  orgs: readonly FileBoards[],
  nowMs: number,
): Promise<void> {
  const written = new FileWriter(BOARDS, writer, nowMs);
  const bySlug = new Map((await allBoards(writer)).map((row) => [row.slug, row]));
  mustBeFree(orgs, bySlug);
  const declared = new Map(orgs.flatMap(({ id, boards }) => boards.map(({ config }) => [config.slug, id])));
  // First, so that their slugs are free.
  for (const row of bySlug.values()) if (row.source === 'file') await letGo(written, row, declared);
  for (const { id: orgId, file = USUAL_FILE, boards } of orgs)
    for (const { config, line } of boards) {
      const row = bySlug.get(config.slug);
      const place = { source: 'file', source_file: file, source_line: line };
      const columns = { org_id: orgId, ...boardColumns(config), ...place };
      if (row?.org_id === orgId) await written.change(row, columns);
      else
        await written.create({ id: newId('brd', nowMs), ...columns, created_at: nowMs, ...written.stamps });
    }
}

/** Slugs are unique in the installation: a board of the API keeps its own against the file of another org. */
function mustBeFree(orgs: readonly FileBoards[], bySlug: ReadonlyMap<string, BoardRow>): void {
  const issues = orgs.flatMap(({ id, boards }, at) =>
    boards.flatMap(({ config }, index) => {
      const row = bySlug.get(config.slug);
      if (!row || row.org_id === id || row.source === 'file') return [];
      return [{ path: ['orgs', at, 'boards', index, 'slug'], message: TAKEN }];
    }),
  );
  if (issues.length > 0) throw new FileRefused(issues);
}

const BOARDS: FileKind<BoardRow> = {
  kind: 'boards',
  subjectOf: ({ slug }) => slug,
  shown: boardShown,
  insert: insertBoard,
  update: (writer, { id }, change) => changeBoard(writer, id, change),
  remove: (writer, { id }) => deleteBoard(writer, id),
};

/** @param declared the org of each slug of the file */
async function letGo(
  written: FileWriter<BoardRow>,
  row: BoardRow,
  declared: ReadonlyMap<string, string>,
): Promise<void> {
  const orgId = declared.get(row.slug);
  if (orgId === undefined) await written.change(row, LEFT);
  else if (orgId !== row.org_id) await written.remove(row);
}

/** A board as columns hold it. */
export function boardColumns(config: BoardConfig) {
  return {
    slug: config.slug,
    name: config.name,
    public: config.public ? 1 : 0,
    timezone: config.timezone ?? null,
    groups_json: JSON.stringify(config.groups.map(({ name, monitors }) => ({ name, monitors }))),
  };
}

/** A board as the audit log keeps it. */
export function boardShown(row: BoardRow) {
  const { org_id: _org, source_file: _file, source_line: _line, groups_json, ...rest } = row;
  return { ...rest, groups: JSON.parse(groups_json) };
}
