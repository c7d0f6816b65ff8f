import { defineGetBoardStatusOperation } from './boards/board-status.ts';
import { definePreviewBoardOperation } from './boards/preview-board.ts';
import { defineExportChecksOperation } from './monitors/export-checks.ts';
import { defineListChecksOperation } from './monitors/list-checks.ts';
import { defineListGapsOperation } from './monitors/list-gaps.ts';
import { defineListPeriodsOperation } from './monitors/list-periods.ts';
import { defineGetMonitorStatusSummaryOperation } from './monitors/monitor-status-summary.ts';
import { defineGetUptimeOperation } from './monitors/monitor-uptime.ts';
import type { MonitoringDependencies } from './monitors/monitoring-dependencies.ts';
import { definePauseMonitorOperation } from './monitors/pause-monitor.ts';
import { definePreviewScheduleOperation } from './monitors/preview-schedule.ts';
import { defineResumeMonitorOperation } from './monitors/resume-monitor.ts';
import { defineRotateBeatUrlOperation } from './monitors/rotate-beat-url.ts';
import { defineUpdateMonitorsOperation } from './monitors/update-monitors.ts';
import type { Operation } from './operation.ts';
import { createBoardResourceKind } from './resources/boards.ts';
import { createMaintenanceWindowResourceKind } from './resources/maintenance-windows.ts';
import { createMonitorResourceKind } from './resources/monitors.ts';
import { defineResourceOperations } from './resources/resource-operations.ts';

/** Returns all operations on monitors, boards, channels and alerts. */
export function defineMonitoringOperations(dependencies: MonitoringDependencies): readonly Operation[] {
  return [
    ...defineResourceOperations(createMonitorResourceKind(dependencies)),
    defineUpdateMonitorsOperation(dependencies),
    definePauseMonitorOperation(dependencies),
    defineResumeMonitorOperation(dependencies),
    defineRotateBeatUrlOperation(dependencies),
    defineListChecksOperation(dependencies),
    defineExportChecksOperation(dependencies),
    defineListPeriodsOperation(dependencies),
    defineGetUptimeOperation(dependencies),
    definePreviewScheduleOperation(dependencies),
    defineGetMonitorStatusSummaryOperation(dependencies),
    defineListGapsOperation(dependencies),
    ...defineResourceOperations(createMaintenanceWindowResourceKind(dependencies)),
    ...defineResourceOperations(createBoardResourceKind(dependencies)),
    defineGetBoardStatusOperation(dependencies),
    definePreviewBoardOperation(dependencies),
  ];
}
