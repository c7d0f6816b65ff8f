import type { Board } from '@floe/contract/api/boards';
import type { BoardConfig } from '@floe/contract/config';
import { newId } from '../../core/ids.ts';
import { boardColumns, boardShown } from '../../monitoring/boards/file-boards.ts';
import { type BoardRow, changeBoard, insertBoard } from '../../store/monitoring/boards.ts';
import type { Writer } from '../../store/ports.ts';
import type { MonitoringHost } from '../monitors/monitoring-host.ts';
import type { Change, VerbContext } from '../verb.ts';
import { slugMustBeFree } from './find.ts';
import { boardAnswer } from './view.ts';

type Context = VerbContext & { readonly writer: Writer };

interface Done {
  readonly answer: Board;
  readonly audit: Change | 'unchanged';
}

/** Adds a board. @throws Fault `conflict` when its slug is taken */
export async function addBoard(
  { orgId, actor, clock, writer }: Context,
  config: BoardConfig,
  host: MonitoringHost,
): Promise<Done> {
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
  return {
    answer: boardAnswer(row, host),
    audit: { subject: row.slug, before: null, after: boardShown(row) },
  };
}

/** Gives a board other settings; the ones it has change nothing. */
export async function replaceBoard(
  { actor, clock, writer }: Context,
  row: BoardRow,
  config: BoardConfig,
  host: MonitoringHost,
): Promise<Done> {
  const columns = boardColumns(config);
  const stored: Readonly<Record<string, unknown>> = { ...row };
  if (Object.entries(columns).every(([column, value]) => stored[column] === value))
    return { answer: boardAnswer(row, host), audit: 'unchanged' };
  if (config.slug !== row.slug) await slugMustBeFree(writer, config.slug);
  const change = { ...columns, updated_at: clock.now(), updated_by: actor.id };
  await changeBoard(writer, row.id, change);
  const next = { ...row, ...change };
  return {
    answer: boardAnswer(next, host),
    audit: { subject: row.slug, before: boardShown(row), after: boardShown(next) },
  };
}
