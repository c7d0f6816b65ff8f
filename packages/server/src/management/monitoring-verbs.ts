import { getBoardStatusVerb } from './boards/board-status.ts';
import { previewBoardVerb } from './boards/preview-board.ts';
import { exportChecksVerb } from './monitors/export-checks.ts';
import { listChecksVerb } from './monitors/list-checks.ts';
import { listGapsVerb } from './monitors/list-gaps.ts';
import { listPeriodsVerb } from './monitors/list-periods.ts';
import { getUptimeVerb } from './monitors/monitor-uptime.ts';
import type { MonitoringDependencies } from './monitors/monitoring-dependencies.ts';
import { getMonitorSummaryVerb } from './monitors/monitors-summary.ts';
import { pauseMonitorVerb } from './monitors/pause-monitor.ts';
import { previewScheduleVerb } from './monitors/preview-schedule.ts';
import { resumeMonitorVerb } from './monitors/resume-monitor.ts';
import { rotateBeatUrlVerb } from './monitors/rotate-beat-url.ts';
import { updateMonitorsVerb } from './monitors/update-monitors.ts';
import { createBoardKind } from './resources/boards.ts';
import { createMaintenanceWindowKind } from './resources/maintenance-windows.ts';
import { createMonitorKind } from './resources/monitors.ts';
import { resourceVerbs } from './resources/resource-verbs.ts';
import type { Verb } from './verb.ts';

/** All verbs for monitors, boards, channels and alerts. */
export function monitoringVerbs(dependencies: MonitoringDependencies): readonly Verb[] {
  return [
    ...resourceVerbs(createMonitorKind(dependencies)),
    updateMonitorsVerb(dependencies),
    pauseMonitorVerb(dependencies),
    resumeMonitorVerb(dependencies),
    rotateBeatUrlVerb(dependencies),
    listChecksVerb(dependencies),
    exportChecksVerb(dependencies),
    listPeriodsVerb(dependencies),
    getUptimeVerb(dependencies),
    previewScheduleVerb(dependencies),
    getMonitorSummaryVerb(dependencies),
    listGapsVerb(dependencies),
    ...resourceVerbs(createMaintenanceWindowKind(dependencies)),
    ...resourceVerbs(createBoardKind(dependencies)),
    getBoardStatusVerb(dependencies),
    previewBoardVerb(dependencies),
  ];
}
