import { formatCountWithNoun, joinWithAnd } from '../../format/words.ts';

/** All text on the Maintenance page. */
export const maintenanceText = {
  page: {
    title: 'Maintenance',
    view: 'View',
    month: 'Month',
    list: 'List',
    newWindow: 'Create window',
    loadError: 'Could not load maintenance windows.',
    emptyTitle: 'No maintenance windows',
    empty:
      'A maintenance window mutes the alerts of selected monitors. Beats and misses are still recorded. Create a window before planned work.',
  },
  month: {
    previous: 'Previous month',
    next: 'Next month',
    remark: (zone: string) =>
      `Times are in ${zone}. Only the next three occurrences of a repeating window are shown.`,
    weekdays: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
    today: 'today',
    noWindows: 'no windows',
    times: (start: string, end: string) => `${start} to ${end}`,
  },
  active: {
    badge: 'Active',
    title: (name: string, end: string) => `${name} until ${end}`,
    allMonitors: 'All monitors',
    scope: (monitors: readonly string[], tags: readonly string[]) =>
      joinWithAnd([
        ...monitors.slice(0, 3),
        ...(monitors.length > 3 ? [formatCountWithNoun(monitors.length - 3, 'more monitor')] : []),
        ...(tags.length > 0 ? [`monitors tagged ${tags.join(', ')}`] : []),
      ]),
    effect: (scope: string, remaining: string) =>
      `${scope}: alerts are muted for another ${remaining}. Beats and misses are still recorded.`,
    extend: 'Extend by 30 min',
    end: 'End window',
    endTitle: (name: string) => `End maintenance window “${name}”?`,
    ended: (name: string) => `Maintenance window ${name} has ended.`,
  },
  list: {
    repeats: 'repeats',
    schedule: (schedule: string, zone: string) => `${schedule}, ${zone}`,
    occurrence: (start: string, duration: string, relative: string) =>
      `${start} for ${duration}, ${relative}`,
    ended: (relative: string) => `ended ${relative}`,
    starts: (relative: string) => `starts ${relative}`,
    started: (relative: string) => `started ${relative}`,
    noOccurrence: 'No further occurrences',
    onBoards: 'shown on boards',
    edit: (name: string) => `Edit window ${name}`,
    delete: (name: string) => `Delete window ${name}`,
    deleteTitle: (name: string) => `Delete maintenance window “${name}”?`,
    deleteButton: 'Delete window',
    deleteEffect:
      'The window will no longer mute alerts. Alerts for monitors that are still failing will be sent within seconds.',
  },
  dialog: {
    newTitle: 'Create maintenance window',
    editTitle: (name: string) => `Edit maintenance window ${name}`,
    description: 'Alerts are muted during the window. Beats and misses are still recorded.',
    cancel: 'Cancel',
    create: 'Create window',
    save: 'Save window',
    name: 'Name',
    namePlaceholder: 'Database migration',
    nameMissing: 'Enter a name.',
    recurrence: 'Recurrence',
    once: 'Once',
    repeats: 'Repeats',
    start: (zone: string) => `Start (${zone})`,
    startMissing: 'Enter a start date and time.',
    schedule: 'Start times (cron)',
    duration: 'Duration',
    durationInvalid: 'Enter a duration, such as 90 min or 2 h.',
    timezone: 'Time zone',
    orgTimezone: 'Organization default',
    monitors: 'Monitors',
    addMonitor: 'Search monitors',
    removeMonitor: (name: string) => `Remove ${name}`,
    tags: 'Monitor tags',
    tagsHint: 'Comma-separated. The window also applies to every monitor with one of these tags.',
    tagsPlaceholder: 'db',
    allMonitors: 'If you select no monitors or tags, the window applies to all monitors.',
    onBoards: 'Show on boards',
  },
} as const;
