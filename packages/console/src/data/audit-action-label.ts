/**
 * Describes an audit log action, as in `Revoked key ci`. For an unknown action, returns the action as recorded,
 * as in `floes.melt ci`.
 * @param isCreation Whether the action has created the resource.
 */
export function formatAuditAction(action: string, name: string, isCreation = false): string {
  return WHOLE[action] ?? `${auditActionLabel(action, isCreation) ?? action} ${name}`;
}

function auditActionLabel(action: string, isCreation: boolean): string | null {
  const [kind = '', verb = ''] = action.split('.', 2);
  const done = isCreation && CREATING.has(verb) ? DONE['create'] : DONE[verb];
  return DEEDS[action] ?? (done ? `${done} ${singular(kind)}` : null);
}

/** Actions that create the resource if no resource has the name. */
const CREATING: ReadonlySet<string> = new Set(['update', 'replace', 'apply']);

const DONE: Readonly<Record<string, string>> = {
  create: 'Created',
  update: 'Changed',
  replace: 'Changed',
  delete: 'Deleted',
  remove: 'Removed',
  revoke: 'Revoked',
  rotate: 'Rotated',
  pause: 'Paused',
  resume: 'Resumed',
  accept: 'Accepted',
  apply: 'Applied',
  reload: 'Reloaded',
  purge: 'Cleared',
  force: 'Forced',
  test: 'Tested',
};

/** Labels of actions on resources that exist once per organization. */
const WHOLE: Readonly<Record<string, string>> = {
  'sessions.step_up': 'Confirmed own identity',
  'settings.update': 'Changed organization settings',
  'cache.purge': 'Cleared the cache',
  'cache.update': 'Changed cache settings',
};

/** Labels of actions for which a label built from the action and the kind would be unclear. */
const DEEDS: Readonly<Record<string, string>> = {
  'operators.grant': 'Added operator',
  'operators.revoke': 'Removed operator',
  'removed_members.restore': 'Restored member',
  'identities.create': 'Linked a single sign-on identity to',
  'sessions.delete': 'Ended a session of',
  'sessions.delete_others': 'Signed out the other sessions of',
  'orgs.create': 'Created organization',
  'org.update': 'Changed organization',
  'members.create': 'Added member',
  'monitors.rotate': 'Replaced the beat URL of monitor',
  'relay.approve': 'Resolved approval',
  'deliveries.retry': 'Retried delivery',
  'sign_in.fail': 'Failed sign-in for',
  'sign_in.throttle': 'Throttled sign-in for',
  'password.update': 'Changed the password of',
  'keys.end_overlap': 'Expired the old value of key',
  'keys.report_leak': 'Reported a leak of key',
  'config.apply': 'Applied configuration to organization',
  'config.reload': 'Reloaded configuration of organization',
  'breakers.force': 'Forced the state of breaker',
  'requests.bodies': 'Viewed the bodies of request',
  'people.export': 'Exported personal data of',
  'people.erase': 'Started erasing the data of',
  'people.erased': 'Erased the data of',
};

function singular(kind: string): string {
  const word = kind.replaceAll('_', ' ');
  if (word === 'maintenance') return 'maintenance window';
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
