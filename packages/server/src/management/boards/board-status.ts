import { boardStatus } from '@floe/contract/api/boards';
import { idParams } from '@floe/contract/api/page';
import { toBoardStatus } from '../../monitoring/boards/board-json.ts';
import { loadBoardView } from '../../monitoring/boards/board-view.ts';
import { MONITORING_SCOPES, type MonitoringDependencies } from '../monitors/monitoring-dependencies.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { createBoardResourceKind } from '../resources/boards.ts';
import { requireResource } from '../resources/resource-operations.ts';

/**
 * Defines the operation that returns the current status of a board (`GET
 * /api/monitoring/boards/{id}/status`).
 */
export function defineGetBoardStatusOperation(dependencies: MonitoringDependencies): Operation {
  const kind = createBoardResourceKind(dependencies);
  return defineReadOperation({
    name: 'boards.status',
    method: 'GET',
    path: '/api/monitoring/boards/{id}/status',
    scope: MONITORING_SCOPES,
    summary: 'Read the current status of a board, public or private',
    params: idParams,
    answer: boardStatus,
    async run(context, { params }) {
      const { orgId, reader } = context;
      const row = await requireResource(kind, context, params.id);
      return toBoardStatus(
        await loadBoardView(
          reader,
          row,
          dependencies.timezone(orgId),
          dependencies.engine.evaluationContext(),
        ),
      );
    },
  });
}
