import type { Alert } from './alert.ts';

/** Address of the console's page about what an alert names. @param baseUrl of this installation, without a trailing slash */
export function linkTo(alert: Alert, baseUrl: string): string {
  const { orgId, subject } = alert;
  const org = orgPage(orgId, baseUrl);
  const { id } = subject;
  switch (alert.event) {
    case 'monitor_failing':
    case 'monitor_recovered':
    case 'monitor_never_beaten': {
      // A monitor that was deleted has no page any more; its alerts are kept.
      const isDeleted = alert.event === 'monitor_recovered' && alert.fields.deleted === true;
      return isDeleted
        ? `${org}/alerts?${query('subject', id)}`
        : `${org}/monitors/${encodeURIComponent(id)}`;
    }
    case 'budget':
      return `${org}/management/budgets?${query('open', alert.fields.budgetId ?? '')}`;
    case 'breaker':
    case 'credential':
      return `${org}/management/breakers?${query('open', id)}`;
  }
}

/** The log of alerts of an org: where a message about many leads. */
export function linkToAlerts(orgId: string, baseUrl: string): string {
  return `${orgPage(orgId, baseUrl)}/alerts`;
}

/** An org's channels: where a test message leads. */
export function linkToChannels(orgId: string, baseUrl: string): string {
  return `${orgPage(orgId, baseUrl)}/channels`;
}

function orgPage(orgId: string, baseUrl: string): string {
  return `${baseUrl}/o/${encodeURIComponent(orgId)}`;
}

function query(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}`;
}
