import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { describeDryRunEffect, formatDryRunCounts } from './dry-run-text.ts';
import { DryRunProgress } from './policy-dry-run.tsx';
import type { PolicyFormValues } from './policy-form.ts';
import { policiesText } from './text.ts';
import { DRY_RUN_DAYS, type PolicyDryRunState } from './use-policy-dry-run.ts';

/**
 * Renders a dialog that asks for confirmation before a log-only policy is enforced. The dialog shows the result
 * of a dry run.
 */
export function ConfirmEnforceDialog({
  form,
  run,
  open,
  onClose,
  onEnforce,
}: {
  readonly form: PolicyFormValues;
  readonly run: PolicyDryRunState;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onEnforce: () => void;
}) {
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={onEnforce}
      title={policiesText.enforce.title(form.name)}
      verb={policiesText.enforce.verb}
    >
      <span className="grid gap-2">
        <span>{policiesText.enforce.effects[form.action]}</span>
        <span className="grid gap-1" aria-live="polite">
          <span className="text-ink-2">{policiesText.enforce.period(DRY_RUN_DAYS)}</span>
          <DryRunEffect form={form} run={run} />
        </span>
      </span>
    </ConfirmDialog>
  );
}

function DryRunEffect({ form, run }: { readonly form: PolicyFormValues; readonly run: PolicyDryRunState }) {
  if (run.isRunning) return <DryRunProgress run={run} />;
  if (run.result === null || run.isStale)
    return <span>{run.error?.message ?? run.failure ?? policiesText.enforce.unknown}</span>;
  return (
    <>
      <span className="font-medium text-ink">{describeDryRunEffect(run.result, form.action)}</span>
      <span className="text-small text-ink-2">{formatDryRunCounts(run.result)}</span>
    </>
  );
}
