import { formatCountWithNoun } from '../../format/words.ts';

/** The text of views, menus, the chart and the empty list on the Requests page. */
export const requestListMenusText = {
  views: {
    label: 'Views',
    builtIn: {
      all: 'All',
      errors: 'Errors',
      blocked: 'Blocked',
      partial: 'Partial',
      cached: 'Cached',
      slow: 'Slow first token',
      ide: 'IDE',
    },
    missing:
      'The view in this link was deleted, or it is private to another member. The list uses the other filters in the link.',
    save: 'Save view',
    edit: 'Edit view',
    edited: 'Edit view (unsaved changes)',
    update: 'Save changes to view',
    reset: 'Discard changes',
    rename: 'Rename or share view',
    delete: 'Delete view',
    updated: (name: string) => `View ${name} was saved.`,
    deleted: (name: string) => `View ${name} was deleted.`,
    notRestored: 'The view could not be restored.',
    name: 'Name',
    namePlaceholder: 'Slow Claude Code',
    shared: 'Share with the organization',
    sharedHelp: 'If shared, all members can see this view. Otherwise, only you can.',
    cancel: 'Cancel',
  },
  share: {
    label: 'Copy link',
    fixedLink: 'Copy link to these requests',
    fixedLinkCopied: 'Link copied. It always shows these requests.',
    liveLink: (range: string) => `Copy live link (${range})`,
    liveLinkCopied: (range: string) => `Live link copied. It always shows the most recent data (${range}).`,
    apiCall: 'Copy API call',
    apiCallCopied: 'API call copied.',
  },
  export: {
    label: 'Export requests',
    matching: (count: string) => `All matching requests (${count})`,
    moreThan: (count: string) => `more than ${count}`,
    csv: 'Export as CSV',
    ndjson: 'Export as JSON Lines (all fields)',
  },
  chart: {
    byOutcome: (count: number) => `${formatCountWithNoun(count, 'request')} by outcome`,
  },
  rowFilters: {
    only: (filter: string) => `Only ${filter}`,
    exclude: (filter: string) => `Exclude ${filter}`,
  },
  empty: {
    title: 'No requests in this time range',
    body: 'Each request to the gateway appears here within a second.',
    first: 'To send a request, run this command:',
    filteredTitle: 'No requests match',
    filteredBody: 'No request in this time range matches all filters.',
    without: (filter: string, count: string) => `Without the filter “${filter}”: ${count}.`,
    removeFilter: (filter: string) => `Remove filter “${filter}”`,
    widen: 'Show the last 7 days',
  },
} as const;
