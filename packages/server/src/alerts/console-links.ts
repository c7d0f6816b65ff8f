import type { Alert } from './alert.ts';

/**
 * Returns the URL of the console page about an alert's subject.
 * @param baseUrl without a trailing slash
 */
export function buildAlertSubjectUrl(alert: Alert, baseUrl: string): string {
  const { orgId, subject } = alert;
  const org = orgPageUrl(orgId, baseUrl);
  const { id } = subject;
  switch (alert.event) {
    case 'monitor_failing':
    case 'monitor_recovered':
    case 'monitor_never_beaten': {
      // A deleted monitor has no page. Its alerts remain in the log.
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

/** Returns the URL of an organization's alert log, for messages about several alerts. */
export function buildAlertLogUrl(orgId: string, baseUrl: string): string {
  return `${orgPageUrl(orgId, baseUrl)}/alerts`;
}

/** Returns the URL of an organization's channel list, for test messages. */
export function buildChannelListUrl(orgId: string, baseUrl: string): string {
  return `${orgPageUrl(orgId, baseUrl)}/channels`;
}

function orgPageUrl(orgId: string, baseUrl: string): string {
  return `${baseUrl}/o/${encodeURIComponent(orgId)}`;
}

function queryString(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}`;
}
