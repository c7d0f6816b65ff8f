import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { countsLine, effectSentence } from './dry-run-words.ts';
import { Progress } from './policy-dry-run.tsx';
import type { PolicyForm } from './policy-form.ts';
import { DRY_RUN_DAYS, type DryRun } from './use-dry-run.ts';

/** Asked before a rule that only wrote down begins to act, with what it would have done in the last days. */
export function EnforceQuestion({
  form,
  run,
  open,
  onClose,
  onEnforce,
}: {
  readonly form: PolicyForm;
  readonly run: DryRun;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onEnforce: () => void;
}) {
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={onEnforce}
      title={`Enforce ${form.name}?`}
      verb="Enforce policy"
    >
      <span className="grid gap-2">
        <span>{EFFECTS[form.action]}</span>
        <span className="grid gap-1" aria-live="polite">
          <span className="text-ink-2">In the last {DRY_RUN_DAYS} days:</span>
          <Numbers form={form} run={run} />
        </span>
      </span>
    </ConfirmDialog>
  );
}

function Numbers({ form, run }: { readonly form: PolicyForm; readonly run: DryRun }) {
  if (run.isRunning) return <Progress run={run} />;
  if (run.result === null || run.isStale)
    return <span>{run.error?.message ?? run.failure ?? 'Nobody knows: it was not tried.'}</span>;
  return (
    <>
      <span className="font-medium text-ink">{effectSentence(run.result, form.action)}</span>
      <span className="text-small text-ink-2">{countsLine(run.result)}</span>
    </>
  );
}

const EFFECTS = {
  deny: 'Every request it matches is refused with 403 from now on.',
  redact: 'What it finds is taken out of every request or answer from now on.',
  allow: 'Rules below it no longer see what it matches.',
  flag: '',
} as const;
