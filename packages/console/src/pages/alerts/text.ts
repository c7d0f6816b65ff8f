/** Every text of the Alerts page. */
export const alertsText = {
  page: {
    title: 'Alerts',
    filterPlaceholder: 'Filter by event, subject, channel or delivery',
  },
  filters: {
    event: 'event',
    subject: 'subject',
    channel: 'channel',
    state: 'delivery',
  },
} as const;
