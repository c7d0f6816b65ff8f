import { getBoardStatus } from './boards/board-status.ts';
import { previewBoard } from './boards/preview-board.ts';
import { exportChecks } from './monitors/export-checks.ts';
import { listChecks } from './monitors/list-checks.ts';
import { listGaps } from './monitors/list-gaps.ts';
import { listPeriods } from './monitors/list-periods.ts';
import { getUptime } from './monitors/monitor-uptime.ts';
import type { MonitoringHost } from './monitors/monitoring-host.ts';
import { getStanding } from './monitors/monitors-summary.ts';
import { pauseMonitor } from './monitors/pause-monitor.ts';
import { previewSchedule } from './monitors/preview-schedule.ts';
import { resumeMonitor } from './monitors/resume-monitor.ts';
import { rotateMonitor } from './monitors/rotate-beat-url.ts';
import { updateMonitors } from './monitors/update-monitors.ts';
import { boards } from './resources/boards.ts';
import { maintenanceWindows } from './resources/maintenance.ts';
import { monitors } from './resources/monitors.ts';
import { resourceVerbs } from './resources/resource-verbs.ts';
import type { Verb } from './verb.ts';

/** Monitors and what people see of them. */
export function monitoringVerbs(host: MonitoringHost): readonly Verb[] {
  return [
    ...resourceVerbs(monitors(host)),
    updateMonitors(host),
    pauseMonitor(host),
    resumeMonitor(host),
    rotateMonitor(host),
    listChecks(host),
    exportChecks(host),
    listPeriods(host),
    getUptime(host),
    previewSchedule(host),
    getStanding(host),
    listGaps(host),
    ...resourceVerbs(maintenanceWindows(host)),
    ...resourceVerbs(boards(host)),
    getBoardStatus(host),
    previewBoard(host),
  ];
}
