import { board, boardChange, boardCreation, boardReplacement } from '@floe/contract/api/boards';
import { listQuery } from '@floe/contract/api/page';
import type { BoardConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { newId } from '../../core/ids.ts';
import { boardOfMonitors, groupsOf } from '../../monitoring/boards/board.ts';
import { boardColumns, boardShown } from '../../monitoring/boards/file-boards.ts';
import {
  type BoardRow,
  boardById,
  boardBySlug,
  boardPage,
  changeBoard,
  deleteBoard,
  insertBoard,
} from '../../store/monitoring/boards.ts';
import type { Reader } from '../../store/ports.ts';
import { boardAnswer } from '../boards/board-answer.ts';
import { boardDraft } from '../boards/board-draft.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { isStored } from './is-stored.ts';
import type { ResourceKind } from './resource-kind.ts';

const SHAPES = {
  answer: board,
  list: listQuery(),
  creation: boardCreation,
  change: boardChange,
  replacement: boardReplacement,
};

type BoardKind = ResourceKind<BoardRow, BoardConfig, z.input<typeof board>, typeof SHAPES>;

// budget: one declaration
export function boards(host: MonitoringHost): BoardKind {
  return {
    kind: 'boards',
    path: '/api/monitoring/boards',
    scope: MONITORING_SCOPES,
    summaries: {
      list: 'List boards, newest first',
      create: 'Create a board; private unless it says public',
      get: 'Read one board, by id or slug',
      update: 'Change a board',
      replace: 'Create or replace a board by its slug',
      delete: 'Remove a board; its monitors stay',
    },
    shapes: SHAPES,
    unknown: 'No board has this id or slug.',
    find: boardById,
    page: ({ reader, orgId }, query) => boardPage(reader, { orgId, ...query }),
    view: (row) => boardAnswer(row, host),
    shown: (_, row) => boardShown(row),
    mustBeChangeable: (row) => mustNotBeInFile('board', row.slug, row),
    created: ({ writer, orgId }, { body }) => boardOfMonitors(writer, orgId, boardDraft(body)),
    changed({ writer, orgId }, row, { body }) {
      const current = boardAnswer(row, host);
      return boardOfMonitors(writer, orgId, boardDraft(body, current), current.groups);
    },
    replaced({ writer, orgId }, row, id, { body }) {
      if (!row && body.slug !== undefined && body.slug !== id)
        throw new Fault('invalid_request', 'slug: is not the one of the path', { param: 'slug' });
      const fields = { ...body, slug: body.slug ?? row?.slug ?? id };
      return boardOfMonitors(writer, orgId, boardDraft(fields), row ? groupsOf(row) : []);
    },
    async insert({ orgId, actor, clock, writer }, config) {
      await slugMustBeFree(writer, config.slug);
      const now = clock.now();
      const row: BoardRow = {
        id: newId('brd', now),
        org_id: orgId,
        ...boardColumns(config),
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
      const columns = boardColumns(config);
      if (isStored(row, columns)) return null;
      if (config.slug !== row.slug) await slugMustBeFree(writer, config.slug);
      const change = { ...columns, updated_at: clock.now(), updated_by: actor.id };
      await changeBoard(writer, row.id, change);
      return { ...row, ...change };
    },
    remove: ({ writer }, { id }) => deleteBoard(writer, id),
  };
}

/** @throws Fault `conflict`: slugs are unique in the installation */
async function slugMustBeFree(reader: Reader, slug: string): Promise<void> {
  if (!(await boardBySlug(reader, slug))) return;
  throw new Fault('conflict', `A board of this installation has the slug "${slug}" already.`, {
    param: 'slug',
  });
}
