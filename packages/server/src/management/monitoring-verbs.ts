import { defineGetBoardStatusVerb } from './boards/board-status.ts';
import { definePreviewBoardVerb } from './boards/preview-board.ts';
import { defineExportChecksVerb } from './monitors/export-checks.ts';
import { defineListChecksVerb } from './monitors/list-checks.ts';
import { defineListGapsVerb } from './monitors/list-gaps.ts';
import { defineListPeriodsVerb } from './monitors/list-periods.ts';
import { defineGetUptimeVerb } from './monitors/monitor-uptime.ts';
import type { MonitoringDependencies } from './monitors/monitoring-dependencies.ts';
import { defineGetMonitorSummaryVerb } from './monitors/monitors-summary.ts';
import { definePauseMonitorVerb } from './monitors/pause-monitor.ts';
import { definePreviewScheduleVerb } from './monitors/preview-schedule.ts';
import { defineResumeMonitorVerb } from './monitors/resume-monitor.ts';
import { defineRotateBeatUrlVerb } from './monitors/rotate-beat-url.ts';
import { defineUpdateMonitorsVerb } from './monitors/update-monitors.ts';
import { createBoardKind } from './resources/boards.ts';
import { createMaintenanceWindowKind } from './resources/maintenance-windows.ts';
import { createMonitorKind } from './resources/monitors.ts';
import { defineResourceVerbs } from './resources/resource-verbs.ts';
import type { Verb } from './verb.ts';

/** Returns all operations on monitors, boards, channels and alerts. */
export function defineMonitoringVerbs(dependencies: MonitoringDependencies): readonly Verb[] {
  return [
    ...defineResourceVerbs(createMonitorKind(dependencies)),
    defineUpdateMonitorsVerb(dependencies),
    definePauseMonitorVerb(dependencies),
    defineResumeMonitorVerb(dependencies),
    defineRotateBeatUrlVerb(dependencies),
    defineListChecksVerb(dependencies),
    defineExportChecksVerb(dependencies),
    defineListPeriodsVerb(dependencies),
    defineGetUptimeVerb(dependencies),
    definePreviewScheduleVerb(dependencies),
    defineGetMonitorSummaryVerb(dependencies),
    defineListGapsVerb(dependencies),
    ...defineResourceVerbs(createMaintenanceWindowKind(dependencies)),
    ...defineResourceVerbs(createBoardKind(dependencies)),
    defineGetBoardStatusVerb(dependencies),
    definePreviewBoardVerb(dependencies),
  ];
}
