import type { BoardConfig } from '@floe/contract/config';
import { boardStored } from '@floe/contract/config/monitoring';
import type { ConfigIssue } from '@floe/contract/config/references';
import { newId } from '../../core/ids.ts';
import type { Declared } from '../../platform/file-org.ts';
import { fileKind } from '../../platform/file-sync.ts';
import {
  allBoards,
  type BoardRow,
  changeBoard,
  deleteBoard,
  insertBoard,
} from '../../store/monitoring/boards.ts';
import { groupsOf } from './board.ts';

const TAKEN =
  'is the slug of a board of another organization, and slugs are unique in the installation; take another one, or have that board renamed or deleted first';

/** Boards of floe.yaml. */
export const FILE_BOARDS = fileKind({
  kind: 'boards',
  list: ({ boards }) => boards,
  stored: allBoards,
  nameOf: ({ slug }: BoardConfig) => slug,
  storedName: ({ slug }: BoardRow) => slug,
  problems: takenSlugs,
  columns: ({ config }) => boardColumns(config),
  row: (columns): BoardRow => ({ id: newId('brd', columns.created_at), ...columns }),
  insert: insertBoard,
  update: (writer, { id }, change) => changeBoard(writer, id, change),
  remove: (writer, { id }) => deleteBoard(writer, id),
  shown: boardShown,
});

/** Slugs are unique in the installation: a board of the API keeps its own against the file of another org. */
function takenSlugs(
  declared: readonly Declared<BoardConfig>[],
  stored: readonly BoardRow[],
): readonly ConfigIssue[] {
  const bySlug = new Map(stored.map((row) => [row.slug, row]));
  return declared.flatMap(({ orgId, path, config }) => {
    const row = bySlug.get(config.slug);
    if (!row || row.org_id === orgId || row.source === 'file') return [];
    return [{ path: [...path, 'slug'], message: TAKEN }];
  });
}

/** A board as columns hold it. */
export function boardColumns(config: BoardConfig) {
  const { slug, name, ...plain } = boardStored.parse(config);
  return {
    slug,
    name,
    public: config.public ? 1 : 0,
    ...plain,
    groups_json: JSON.stringify(config.groups.map(({ name, monitors }) => ({ name, monitors }))),
  };
}

/** What people set, as answers and documents show it. */
export function boardSettings(row: BoardRow) {
  const { slug, name, ...plain } = boardStored.parse(row);
  const groups = groupsOf(row).map((group) => ({ name: group.name, monitors: [...group.monitors] }));
  return { slug, name, public: row.public === 1, ...plain, groups };
}

/** A board as the audit log keeps it. */
export function boardShown(row: BoardRow) {
  const { org_id: _org, source_file: _file, source_line: _line, groups_json, ...rest } = row;
  return { ...rest, groups: JSON.parse(groups_json) };
}
