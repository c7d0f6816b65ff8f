import type { BoardConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/cross-object-rules';
import { boardFieldsStoredAsIs } from '@floe/contract/config/monitoring';
import { createId } from '../../core/ids.ts';
import {
  defineConfigFileResourceKind,
  type MatchedResourceRows,
} from '../../platform/config-file-resource-kind.ts';
import type { DeclaredResource } from '../../platform/declared-resources.ts';
import {
  type BoardRow,
  deleteBoard,
  insertBoard,
  listAllBoards,
  listBoardsBySlug,
  updateBoard,
} from '../../store/monitoring/boards.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { parseBoardGroups } from './board.ts';

const SLUG_TAKEN =
  'must be unique in the installation, but another organization already has a board with this slug. Choose another slug. Alternatively, change the slug of the other board or delete that board first.';

/** The resource kind of boards in floe.yaml. */
export const CONFIG_FILE_BOARD_RESOURCE_KIND = defineConfigFileResourceKind({
  kind: 'boards',
  list: ({ boards }) => boards,
  stored: listAllBoards,
  nameOf: ({ slug }: BoardConfig) => slug,
  storedName: ({ slug }: BoardRow) => slug,
  findIssues: (declared, matched, { reader }) => findTakenSlugs(declared, matched, reader),
  columns: ({ config }) => toBoardColumns(config),
  row: (columns): BoardRow => ({ id: createId('brd', columns.created_at), ...columns }),
  insert: insertBoard,
  update: (writer, { id }, change) => updateBoard(writer, id, change),
  remove: (writer, { id }) => deleteBoard(writer, id),
  auditView: toBoardAuditView,
});

/**
 * Returns an issue for each slug in floe.yaml that a board of another organization already uses. Slugs are
 * unique in the installation.
 */
async function findTakenSlugs(
  declared: readonly DeclaredResource<BoardConfig>[],
  matched: MatchedResourceRows<BoardConfig, BoardRow>,
  reader: DatabaseReader,
): Promise<readonly ConfigIssue[]> {
  const issues: ConfigIssue[] = [];
  const added = declared.filter((board) => !matched.has(board));
  for (let at = 0; at < added.length; at += SLUGS_PER_QUERY) {
    const boards = added.slice(at, at + SLUGS_PER_QUERY);
    const stored = await listBoardsBySlug(
      reader,
      boards.map(({ config }) => config.slug),
    );
    const bySlug = new Map(stored.map((row) => [row.slug, row]));
    for (const { path, config } of boards)
      if ((bySlug.get(config.slug)?.source ?? 'file') !== 'file')
        issues.push({ path: [...path, 'slug'], message: SLUG_TAKEN });
  }
  return issues;
}

const SLUGS_PER_QUERY = 200;

/** Converts a board's configuration to database columns. */
export function toBoardColumns(config: BoardConfig) {
  const { slug, name, ...plain } = boardFieldsStoredAsIs.parse(config);
  return {
    slug,
    name,
    public: config.public ? 1 : 0,
    ...plain,
    groups_json: JSON.stringify(config.groups.map(({ name, monitors }) => ({ name, monitors }))),
  };
}

/** Converts a board row to the settings that the API and floe.yaml use. */
export function toBoardSettings(row: BoardRow) {
  const { slug, name, ...plain } = boardFieldsStoredAsIs.parse(row);
  const groups = parseBoardGroups(row).map((group) => ({ name: group.name, monitors: [...group.monitors] }));
  return { slug, name, public: row.public === 1, ...plain, groups };
}

/** Converts a board row to the form that the audit log stores. */
export function toBoardAuditView(row: BoardRow) {
  const { org_id: _org, source_file: _file, source_line: _line, groups_json, ...rest } = row;
  return { ...rest, groups: JSON.parse(groups_json) };
}
