import { boardCreation, boardPatch, boardReplacement, boardResource } from '@floe/contract/api/boards';
import { createListQuerySchema } from '@floe/contract/api/page';
import type { BoardConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { createId } from '../../core/ids.ts';
import { parseBoardGroups, requireBoardMonitorsExist } from '../../monitoring/boards/board.ts';
import { toBoardAuditView, toBoardColumns } from '../../monitoring/boards/config-file-boards.ts';
import {
  type BoardRow,
  deleteBoard,
  findBoardByIdOrSlug,
  findBoardBySlug,
  getBoardPage,
  insertBoard,
  updateBoard,
} from '../../store/monitoring/boards.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { buildBoardConfig } from '../boards/board-config.ts';
import { toBoardResource } from '../boards/board-resource.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from '../monitors/monitoring-dependencies.ts';
import { hasColumnValues } from './has-column-values.ts';
import type { ResourceKind } from './resource-kind.ts';

const BOARD_SCHEMAS = {
  answer: boardResource,
  list: createListQuerySchema(),
  creation: boardCreation,
  change: boardPatch,
  replacement: boardReplacement,
};

type BoardResourceKind = ResourceKind<
  BoardRow,
  BoardConfig,
  z.input<typeof boardResource>,
  typeof BOARD_SCHEMAS
>;

// budget: one declaration
/** Creates the resource kind of boards. */
export function createBoardResourceKind(dependencies: MonitoringDependencies): BoardResourceKind {
  return {
    kind: 'boards',
    path: '/api/monitoring/boards',
    scope: MONITORING_SCOPES,
    summaries: {
      list: 'List boards, newest first',
      create: 'Create a board; private by default',
      get: 'Read one board, by id or slug',
      update: 'Change a board',
      replace: 'Create or replace a board by its id or slug',
      delete: 'Remove a board; its monitors are not affected',
    },
    schemas: BOARD_SCHEMAS,
    notFoundMessage: 'No board has this id or slug.',
    find: findBoardByIdOrSlug,
    getPage: ({ reader, orgId }, query) => getBoardPage(reader, { orgId, ...query }),
    toResource: (row) => toBoardResource(row, dependencies),
    toAuditView: (_, row) => toBoardAuditView(row),
    requireChangeable: (row) => requireNotManagedByFile('board', row.slug, row),
    configFromCreation: ({ writer, orgId }, { body }) =>
      requireBoardMonitorsExist(writer, orgId, buildBoardConfig(body)),
    configFromPatch({ writer, orgId }, row, { body }) {
      const current = toBoardResource(row, dependencies);
      return requireBoardMonitorsExist(writer, orgId, buildBoardConfig(body, current), current.groups);
    },
    configFromReplacement({ writer, orgId }, row, id, { body }) {
      if (!row && body.slug !== undefined && body.slug !== id)
        throw new Fault('invalid_request', 'The field "slug" must match the slug in the path.', {
          param: 'slug',
        });
      const fields = { ...body, slug: body.slug ?? row?.slug ?? id };
      return requireBoardMonitorsExist(
        writer,
        orgId,
        buildBoardConfig(fields),
        row ? parseBoardGroups(row) : [],
      );
    },
    async insert({ orgId, actor, clock, writer }, config) {
      await requireFreeSlug(writer, config.slug);
      const now = clock.now();
      const row: BoardRow = {
        id: createId('brd', now),
        org_id: orgId,
        ...toBoardColumns(config),
        source: 'console',
        source_line: null,
        created_at: now,
        updated_at: now,
        updated_by: actor.id,
      };
      await insertBoard(writer, row);
      return row;
    },
    async update({ actor, clock, writer }, row, config) {
      const columns = toBoardColumns(config);
      if (hasColumnValues(row, columns)) return null;
      if (config.slug !== row.slug) await requireFreeSlug(writer, config.slug);
      const change = { ...columns, updated_at: clock.now(), updated_by: actor.id };
      await updateBoard(writer, row.id, change);
      return { ...row, ...change };
    },
    remove: ({ writer }, { id }) => deleteBoard(writer, id),
  };
}

/** @throws Fault `conflict`; slugs are unique in the installation */
async function requireFreeSlug(reader: DatabaseReader, slug: string): Promise<void> {
  if (!(await findBoardBySlug(reader, slug))) return;
  throw new Fault(
    'conflict',
    `Another board of this installation already uses the URL path "${slug}". Choose another URL path.`,
    {
      param: 'slug',
    },
  );
}
