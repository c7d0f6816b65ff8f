import type { DatabaseUpgradePlan } from '../store/upgrade-database.ts';

const KIND_TEXTS = {
  expand: 'expand: processes of the previous version can keep running',
  contract: 'contract: stop all processes of the previous version first',
} as const;

/** Returns the text that `floe migrate` prints. */
export function formatUpgradeReport(
  { migrations, olderProcesses, copy }: DatabaseUpgradePlan,
  isDryRun: boolean,
): string {
  if (migrations.length === 0) return 'Nothing to migrate.';
  const list = migrations.map(({ number, name, kind }) => {
    const isKindShown = isDryRun && kind !== null;
    return `  ${number} ${name}${isKindShown ? ` (${KIND_TEXTS[kind]})` : ''}`;
  });
  const lines = [`${isDryRun ? 'Would apply' : 'Applied'}:`, ...list];
  if (copy !== null) lines.unshift(`${isDryRun ? 'Would copy' : 'Copied'} the database to ${copy} first.`);
  if (isDryRun && olderProcesses > 0)
    lines.push(
      `Running processes that do not work with these migrations: ${olderProcesses}. Stop them before you migrate.`,
    );
  return lines.join('\n');
}
