import { formatCountWithNoun } from '../../format/words.ts';

/** All text on the audit log page. */
export const auditText = {
  page: {
    title: 'Audit log',
    loadFailed: 'Could not load the audit log.',
    filterPlaceholder: 'Filter by actor, action or resource',
    table: 'Changes',
    nextChange: 'Next change',
    previousChange: 'Previous change',
  },
  filters: { actor: 'actor', action: 'action', subject: 'resource' },
  columns: {
    time: 'Time',
    actor: 'Actor',
    change: 'Change',
    firstField: 'Changed fields',
    action: 'Action',
  },
  empty: {
    title: 'No changes match',
    body: 'No change in this time range matches the filters. The audit log records every change in this organization, with its time and actor.',
    showAll: 'Show the last 90 days',
  },
  export: {
    label: 'Export audit log',
    csv: 'Export all matching changes as CSV',
    ndjson: 'Export all matching changes as JSON Lines',
  },
  chain: {
    checkFailed: (reason: string) => `Could not verify the integrity of the log: ${reason}`,
    checking: 'Verifying the integrity of the log…',
    broken: (entry: number | null) =>
      `The log failed verification at entry ${entry}. This entry was changed, or an entry before it is missing. Compare the log with an earlier export and with a backup of the database.`,
    intact: (entries: number, time: string) =>
      `Log intact: ${formatCountWithNoun(entries, 'entry', 'entries')} verified at ${time}.`,
  },
  drawer: {
    title: 'Change',
    close: 'Close',
    time: 'Time',
    actor: 'Actor',
    action: 'Action',
    ipAddress: 'IP address',
    session: 'Session',
    subject: 'Resource',
    reason: 'Reason',
    entry: 'Sequence number',
    hash: 'Hash',
    copyHash: 'Copy hash',
    fields: 'Changed fields',
    actorChanges: 'Show all changes by this actor',
    subjectChanges: 'Show all changes to this resource',
  },
  entry: {
    signedIn: 'Signed in',
    switchedOrg: 'Switched to this organization',
    replacedKey: (subject: string) => `Replaced credential ${subject}`,
    system: (actor: string) => `Floe (${actor})`,
    fieldChange: (field: string, before: string, after: string) => `${field}: ${before} → ${after}`,
    moreFields: (count: number) => `, ${count} more`,
  },
} as const;
