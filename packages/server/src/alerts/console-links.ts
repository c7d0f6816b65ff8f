import type { Alert } from './alert.ts';

/** Address of the console's page about what an alert names. @param baseUrl of this installation, without a trailing slash */
export function linkToAlert(alert: Alert, baseUrl: string): string {
  const { orgId, subject } = alert;
  const org = orgPageUrl(orgId, baseUrl);
  const { id } = subject;
  switch (alert.event) {
    case 'monitor_failing':
    case 'monitor_recovered':
    case 'monitor_never_beaten': {
      // A monitor that was deleted has no page any more; its alerts are kept.
      const isDeleted = alert.event === 'monitor_recovered' && alert.fields.deleted === true;
      return isDeleted
        ? `${org}/alerts?${queryString('subject', id)}`
        : `${org}/monitors/${encodeURIComponent(id)}`;
    }
    case 'budget':
      return `${org}/management/budgets?${queryString('open', alert.fields.budgetId ?? '')}`;
    case 'breaker':
    case 'credential':
      return `${org}/management/breakers?${queryString('open', id)}`;
  }
}

/** The log of alerts of an org: where a message about many leads. */
export function linkToAlerts(orgId: string, baseUrl: string): string {
  return `${orgPageUrl(orgId, baseUrl)}/alerts`;
}

/** An org's channels: where a test message leads. */
export function linkToChannels(orgId: string, baseUrl: string): string {
  return `${orgPageUrl(orgId, baseUrl)}/channels`;
}

function orgPageUrl(orgId: string, baseUrl: string): string {
  return `${baseUrl}/o/${encodeURIComponent(orgId)}`;
}

function queryString(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}`;
}
