/** All text on the Budgets page. */
export const budgetsText = {
  page: {
    title: 'Budgets',
    one: 'budget',
    empty: {
      title: 'No budgets',
      text: 'Create a budget to get alerts or to reject requests when spending reaches a limit.',
    },
    spent: (amount: string) => `Spent in the last 30 days: ${amount}.`,
  },
  columns: {
    name: 'Name',
    subject: 'Applies to',
    spent: 'Spent',
    remaining: 'Remaining',
    period: 'Period',
    mode: 'When exceeded',
    forecast: 'Forecast',
    resets: 'Resets',
    source: 'Source',
  },
  none: '–',
  periods: { day: 'Day', week: 'Week', month: 'Month', total: 'Never resets' },
  modes: { hard: 'Reject requests', soft: 'Notify only' },
  spent: {
    label: 'Spent',
    each: (limit: string) => `${limit} each`,
    of: (spent: string, limit: string) => `${spent} of ${limit}`,
    reserved: (amount: string) => `${amount} reserved`,
    remaining: (amount: string) => `${amount} remaining`,
  },
  drawer: {
    usage: 'Current usage',
    subject: (subject: string, model: string) => `${subject}, ${model}`,
    spent: 'Spent',
    reserved: 'Reserved',
    reservedAmount: (amount: string) => `${amount} for requests in progress`,
    remaining: 'Remaining',
    forecast: 'Forecast',
    resets: 'Resets',
    rejectedRequests: 'Requests rejected with status 402, last 7 days',
    created: (name: string) => `Budget ${name} now applies.`,
    saved: (name: string) => `Budget ${name} was saved.`,
  },
  fields: {
    name: 'Name',
    nameHint: 'Shown to callers when the budget rejects their requests.',
    namePlaceholder: 'agents-month',
    limit: 'Limit (USD)',
    limitPlaceholder: '500',
    period: 'Resets every',
    periods: { day: 'Day', week: 'Week', month: 'Calendar month', total: 'Never resets' },
    mode: 'When exceeded',
    modeHint:
      'A request is rejected if its maximum possible cost exceeds the remaining amount. To lower this cost, set max_tokens in the request.',
    modes: { hard: 'Reject requests', soft: 'Notify only' },
    alerts: 'Alerts are sent when 50%, 80% and 100% of the limit have been spent.',
    metadata: 'Metadata',
    metadataPlaceholder: 'project=atlas',
    metadataHint:
      'Count only requests with this metadata. One name=value pair or JSON object per line; all must match. Leave empty to count all requests.',
    metadataInvalid: (line: string) =>
      `Each line must contain a name and a value, got “${line}”. Example: project=atlas.`,
    metadataRepeated: (name: string) => `Enter each name only once. “${name}” is entered more than once.`,
  },
  removal: {
    title: (name: string) => `Delete budget “${name}”?`,
    effect: (subject: string) => `The budget will no longer apply to ${subject}. Recorded spending is kept.`,
  },
  sentence: {
    subject: (subject: string, model: string) =>
      model === '' ? `requests from ${subject}` : `requests from ${subject} to ${model}`,
    periods: {
      day: 'in one day',
      week: 'in one calendar week',
      month: 'in one calendar month',
      total: 'in total',
    },
    hard: (requests: string, limit: string, period: string) =>
      `Floe rejects new ${requests} with status 402 after ${limit} has been spent ${period}. It also rejects a request whose maximum possible cost exceeds the remaining amount. Requests in progress continue. Requests to models without a price are rejected.`,
    soft: (requests: string, limit: string, period: string) =>
      `${requests} are still accepted after ${limit} has been spent ${period}. Floe only sends alerts.`,
  },
  forecast: {
    overLimit: 'over budget',
    none: '–',
    byDate: (amount: string, date: string) => `${amount} by ${date}`,
    usedUp: 'Used up',
    usedUpBy: (date: string) => `Projected to be used up by ${date}`,
    tooEarly: 'Not enough data',
    linear:
      'The forecast is linear. It projects the spending so far to the end of the period and ignores weekends and trends.',
    separate: 'Spending is counted separately for each subject, so there is no single forecast.',
    usedUpForever: 'The budget is used up and never resets.',
    usedUpUntil: (date: string) => `The budget is used up. It resets on ${date}.`,
    noEnd: 'A budget that never resets has no forecast.',
    justStarted: 'The period has just started. There is not enough data for a forecast yet.',
  },
  chart: {
    title: 'Spending in this period',
    spent: 'Spent so far',
    limit: 'Limit',
    largest: 'Largest: ',
    sinceCreation:
      'The budget was created during this period. The chart includes earlier spending, but this spending does not count toward the budget.',
    unknown: 'unknown',
  },
} as const;
