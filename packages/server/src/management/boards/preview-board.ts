import { boardCreation, boardPreview } from '@floe/contract/api/boards';
import { MEMBER_ROLES } from '@floe/contract/roles';
import { loadBoardView } from '../../monitoring/boards/board-view.ts';
import { toBoardColumns } from '../../monitoring/boards/config-file-boards.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from '../monitors/monitoring-dependencies.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { buildBoardConfig } from './board-config.ts';

/**
 * Defines the operation that previews an unsaved board. The preview and the public page of a board use the same
 * renderer.
 */
export function definePreviewBoardOperation(dependencies: MonitoringDependencies): Operation {
  return defineReadOperation({
    name: 'boards.preview',
    method: 'POST',
    path: '/api/monitoring/boards/preview',
    scope: MONITORING_SCOPES,
    // A member who may see a board may also preview one.
    roles: MEMBER_ROLES,
    summary: 'Preview the page of a board without storing the board',
    body: boardCreation,
    answer: boardPreview,
    async run({ orgId, reader }, { body }) {
      // A stored board can name deleted monitors. The page leaves them out.
      const row = { org_id: orgId, ...toBoardColumns(buildBoardConfig(body)) };
      return dependencies.previewPacer.run(orgId, async () => {
        const view = await loadBoardView(
          reader,
          row,
          dependencies.timezone(orgId),
          dependencies.engine.evaluationContext(),
        );
        return { html: dependencies.renderBoard(view) };
      });
    },
  });
}
