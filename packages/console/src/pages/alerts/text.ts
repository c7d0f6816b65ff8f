/** All text on the Alerts page. */
export const alertsText = {
  page: {
    title: 'Alerts',
    filterPlaceholder: 'Filter by event, resource, channel or delivery',
  },
  filters: {
    event: 'event',
    subject: 'resource',
    channel: 'channel',
    state: 'delivery',
  },
} as const;
