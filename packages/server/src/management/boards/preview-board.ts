import { boardCreation, boardPreview } from '@floe/contract/api/boards';
import { ROLES } from '@floe/contract/roles';
import { boardOfMonitors } from '../../monitoring/boards/board.ts';
import { boardColumns } from '../../monitoring/boards/file-boards.ts';
import { readBoard } from '../../monitoring/boards/status.ts';
import { MONITORING_SCOPES, type MonitoringHost } from '../monitors/monitoring-host.ts';
import { readVerb, type Verb } from '../verb.ts';
import { boardDraft } from './board-draft.ts';

/** Nothing is stored; the page is made by what makes the public ones. */
export function previewBoard(host: MonitoringHost): Verb {
  return readVerb({
    name: 'boards.preview',
    method: 'POST',
    path: '/api/monitoring/boards/preview',
    scope: MONITORING_SCOPES,
    // Whoever may see a board may see what it would be.
    roles: ROLES,
    summary: 'The page that a board would be',
    body: boardCreation,
    answer: boardPreview,
    async run({ orgId, reader }, { body }) {
      const draft = await boardOfMonitors(reader, orgId, boardDraft(body));
      const row = { org_id: orgId, ...boardColumns(draft) };
      const view = await readBoard(reader, row, host.timezone(orgId), host.engine.sight());
      return { html: host.drawBoard(view) };
    },
  });
}
