import { previewBoard } from './boards/preview.ts';
import { getBoardStatus } from './boards/status.ts';
import { listChecks } from './monitors/checks.ts';
import { exportChecks } from './monitors/export-checks.ts';
import { listGaps } from './monitors/gaps.ts';
import type { MonitoringHost } from './monitors/monitoring-host.ts';
import { pauseMonitor } from './monitors/pause.ts';
import { listPeriods } from './monitors/periods.ts';
import { previewSchedule } from './monitors/preview.ts';
import { resumeMonitor } from './monitors/resume.ts';
import { rotateMonitor } from './monitors/rotate.ts';
import { getStanding } from './monitors/standing.ts';
import { updateMonitors } from './monitors/update-many.ts';
import { getUptime } from './monitors/uptime.ts';
import { boards } from './resources/boards.ts';
import { maintenanceWindows } from './resources/maintenance.ts';
import { monitors } from './resources/monitors.ts';
import { resourceVerbs } from './resources/verbs.ts';
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
