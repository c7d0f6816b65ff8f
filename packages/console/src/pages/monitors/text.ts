import { formatCount } from '../../format/amounts.ts';
import { formatCountWithNoun, joinWithAnd } from '../../format/words.ts';

/** All text on the Monitors pages. */
export const monitorsText = {
  page: {
    title: 'Monitors',
    newTitle: 'Create monitor',
    editTitle: 'Edit monitor',
    detailTitle: (id: string) => `Monitor ${id}`,
    resource: 'monitor',
    filterPlaceholder: 'Search by name, or filter by status, tag, channel or source',
    clearSelection: 'Clear selection',
    loadError: 'Could not load monitors.',
    noMatchTitle: 'No monitors match',
    noMatch: 'No monitor matches all filters.',
    clearFilters: 'Clear filters',
    emptyTitle: 'No monitors',
    empty:
      'A monitor expects beats from a job and sends an alert when a beat is missing. Create a monitor, then send a beat at the end of the job.',
    noChannel: 'No channel exists, so no one is notified when a monitor fails.',
    channelsDisabled: 'All channels are disabled, so no one is notified when a monitor fails.',
    createChannel: 'Create channel',
    viewChannels: 'View channels',
  },
  filters: {
    status: 'status',
    tag: 'tag',
    channel: 'channel',
    source: 'source',
    search: 'name',
  },
  columns: {
    selection: 'Selection',
    actions: 'Actions',
    status: 'Status',
    name: 'Name',
    schedule: 'Schedule',
    lastBeat: 'Last beat',
    deadline: 'Deadline',
    day: 'Last 24 h',
    uptime: '30-day uptime',
    source: 'Source',
    select: (name: string) => `Select ${name}`,
    failing: (duration: string) => `Failing ${duration}`,
    mutedUntil: (time: string) => `Muted until ${time}`,
    inMaintenance: (name: string, time: string) =>
      `Alerts are muted by the maintenance window ${name} until ${time}`,
    since: (time: string) => `failed at ${time}`,
    failingFor: (duration: string) => `failing for ${duration}`,
    deadlineIn: (relative: string) => `deadline ${relative}`,
  },
  day: {
    none: 'Last 24 hours: no data',
    sums: (parts: readonly string[]) => `Last 24 hours: ${parts.join(', ')}`,
    sum: (status: string, duration: string) => `${status} ${duration}`,
  },
  actions: {
    sendTestBeat: 'Send test beat',
    sendTestBeatShort: 'Send test',
    testBeatHint:
      'Counts as a real beat: it ends a failure, sends a recovery alert and starts the next deadline.',
    testBeatTitle: (name: string) => `Send a test beat to monitor “${name}”?`,
    testBeatEffect:
      'The test beat counts as a real beat. It ends the failure, sends a recovery alert and starts the next deadline.',
    testBeatSent: 'Test beat recorded. It counts as a real beat.',
    testBeatFailed: (status: number) =>
      `Could not send the test beat. The server responded with status ${status}.`,
    pause: 'Pause monitor',
    resume: 'Resume monitor',
    edit: 'Edit monitor',
    viewSettings: 'View settings',
    more: 'More actions',
    moreOf: (name: string) => `Actions for ${name}`,
    copyCurl: 'Copy curl command',
    curlCopied: 'curl command copied.',
    pauseFor: (hours: number) => `Pause for ${formatCountWithNoun(hours, 'hour')}`,
    muteFor: (hours: number) => `Mute for ${formatCountWithNoun(hours, 'hour')}`,
    unmute: 'Unmute',
    paused: (name: string) =>
      `Monitor ${name} is paused. Beats are still recorded, but a beat does not resume the monitor.`,
    pausedUntil: (name: string, time: string) =>
      `Monitor ${name} is paused until ${time}. Beats are still recorded, but a beat does not resume the monitor.`,
    muted: (name: string) => `Monitor ${name} is muted. Status changes are still recorded.`,
    unmuted: (name: string) => `Monitor ${name} was unmuted.`,
    replaceUrl: 'Replace beat URL…',
    replaceUrlTitle: (name: string) => `Replace the beat URL of monitor “${name}”?`,
    replaceUrlButton: 'Replace beat URL',
    replaceUrlEffect:
      'Beats to the old URL will be rejected immediately. Beats with a platform key are not affected.',
    urlReplaced: 'The beat URL was replaced.',
    delete: 'Delete monitor…',
    deleteTitle: (name: string) => `Delete monitor “${name}”?`,
    deleteEffect:
      'Beats for this monitor will be rejected, and boards will no longer show it. Its history is kept for the retention period. A new monitor with the same ID takes over the history and the beat URL.',
    deleteButton: 'Delete monitor',
    deleted: (name: string) => `Monitor ${name} was deleted.`,
  },
  selection: {
    label: 'Selected monitors',
    count: (count: number) => `${formatCount(count)} selected`,
    selectLoaded: (count: number) => `Select all ${formatCount(count)} loaded monitors`,
    pause: 'Pause',
    resume: 'Resume',
    mute: 'Mute…',
    editTags: 'Edit tags…',
    planMaintenance: 'Create maintenance window',
    paused: (count: number) =>
      `${countMonitors(count)} paused. Beats are still recorded, but a beat does not resume a paused monitor.`,
    resumed: (count: number) => `${formatCountWithNoun(count, 'monitor was', 'monitors were')} resumed.`,
    muted: (count: number) => `${countMonitors(count)} muted. Status changes are still recorded.`,
    unmuted: (count: number) => `${formatCountWithNoun(count, 'monitor was', 'monitors were')} unmuted.`,
    tagged: (count: number) => `The tags of ${formatCountWithNoun(count, 'monitor')} were changed.`,
    resumeFailed: 'Could not resume the monitors.',
    notChanged: (count: number) =>
      `${formatCountWithNoun(count, 'monitor was', 'monitors were')} not changed.`,
    moreNotChanged: (count: number) =>
      `${formatCountWithNoun(count, 'more message is', 'more messages are')} not shown.`,
    dismiss: 'Dismiss',
    tagsTitle: (count: number) => `Edit tags of ${formatCountWithNoun(count, 'monitor')}`,
    addTags: 'Add tags',
    addTagsPlaceholder: 'db, critical',
    removeTags: 'Remove tags',
    tagsHint: 'Comma-separated.',
    cancel: 'Cancel',
    saveTags: 'Save tags',
  },
} as const;

function countMonitors(count: number): string {
  return formatCountWithNoun(count, 'monitor is', 'monitors are');
}

/** Descriptions of schedules. */
export const scheduleText = {
  cron: (expression: string) => `cron ${expression}`,
  every: (interval: string) => `every ${interval}`,
  orgZone: 'organization time zone',
  grace: (duration: string) => `, grace ${duration}`,
  days: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  everyDay: 'every day',
  everyWeekday: (days: readonly string[]) => `every ${joinWithAnd(days)}`,
  dayRange: (first: string, last: string) => `${first} to ${last}`,
  monthDays: (days: readonly string[]) =>
    `on ${days.length === 1 ? 'day' : 'days'} ${joinWithAnd(days)} of the month`,
  everyMinutes: (minutes: number) => `Every ${minutes === 1 ? 'minute' : `${minutes} minutes`}`,
  hourlyAt: (minute: string) => `Every hour at :${minute}`,
  atTimes: (times: readonly string[]) => `At ${joinWithAnd(times)}`,
  change: (field: string, from: string, to: string) => `${field} from ${from} to ${to}`,
  changeFields: {
    expected_interval_minutes: 'interval',
    schedule: 'schedule',
    grace_period_minutes: 'grace period',
  },
  orgDefault: 'organization default',
  none: 'none',
} as const;
