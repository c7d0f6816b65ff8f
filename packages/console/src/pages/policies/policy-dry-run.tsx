import { History, Square } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { formatCount } from '../../format/amounts.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/cards.tsx';
import { ErrorState } from '../../ui/feedback.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import {
  describeDryRunEffect,
  formatDryRunCounts,
  formatDryRunProgress,
  type PolicyDryRunSummary,
} from './dry-run-text.ts';
import type { PolicyFormValues } from './policy-form.ts';
import { policiesText } from './text.ts';
import { DRY_RUN_DAYS, type PolicyDryRunState } from './use-policy-dry-run.ts';

/**
 * Starts a dry run and shows its result. The dry run evaluates the policy against the bodies stored in the
 * last seven days, as if the policy were enforced.
 */
export function PolicyDryRun({
  form,
  run,
}: {
  readonly form: PolicyFormValues;
  readonly run: PolicyDryRunState;
}) {
  const isEmpty = form.when.trim() === '' && !form.secrets && form.pii.length === 0;
  return (
    <Card title={policiesText.dryRun.title(DRY_RUN_DAYS)} aside={policiesText.dryRun.aside}>
      <div className="grid gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <Button
            icon={History}
            needs="management"
            busy={run.isRunning}
            disabled={isEmpty}
            onClick={run.start}
          >
            {policiesText.dryRun.start}
          </Button>
          {isEmpty && <span className="text-ui text-ink-2">{policiesText.dryRun.incomplete}</span>}
          {run.isRunning && (
            <Button look="quiet" icon={Square} onClick={run.stop}>
              {policiesText.dryRun.stop}
            </Button>
          )}
        </div>
        {run.progress && <DryRunProgress run={run} />}
        {run.error && (
          <ErrorState what={policiesText.dryRun.startFailed} error={run.error} onRetry={run.start} />
        )}
        {run.failure && <p className="text-ui text-ink-2">{run.failure}</p>}
        {run.result && !run.isRunning && (
          <div className={run.isStale ? 'stale grid gap-3' : 'grid gap-3'}>
            <Outcome result={run.result} action={form.action} isStale={run.isStale} />
          </div>
        )}
      </div>
    </Card>
  );
}

/** Shows the progress of the dry run as a bar and as text. */
export function DryRunProgress({ run: { progress } }: { readonly run: PolicyDryRunState }) {
  if (!progress) return null;
  const { done, total } = progress;
  const label = formatDryRunProgress(done, total);
  return (
    <span className="grid gap-1">
      <span
        role="progressbar"
        aria-label={policiesText.dryRun.progress}
        aria-valuemin={0}
        aria-valuemax={total ?? 100}
        aria-valuenow={done}
        aria-valuetext={label}
        className="block h-1.5 overflow-hidden rounded-full border border-line bg-sunken"
      >
        <span
          className="block h-full bg-series-1"
          style={{ width: `${total ? Math.round((done / total) * 100) : 0}%` }}
        />
      </span>
      <span className="text-small text-ink-2 figures">{label}</span>
    </span>
  );
}

function Outcome({
  result,
  action,
  isStale,
}: {
  readonly result: PolicyDryRunSummary;
  readonly action: PolicyFormValues['action'];
  readonly isStale: boolean;
}) {
  const { evaluated, days, keys, samples } = result;
  return (
    <>
      <p role="status" className="text-body font-medium">
        {describeDryRunEffect(result, action)}
      </p>
      <p className="text-ui text-ink-2">
        {formatDryRunCounts(result)}
        {isStale && policiesText.dryRun.stale}
      </p>
      {evaluated === 0 && (
        <OrgLink to="/management/settings/data" className="text-ui text-accent-ink underline">
          {policiesText.dryRun.storeBodies}
        </OrgLink>
      )}
      {samples.length > 0 && (
        <>
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2 text-ui">
            <span className="flex items-center gap-2 text-ink-2">
              {policiesText.dryRun.matchesByDay} <Sparkline values={days.map(({ matched }) => matched)} />
            </span>
            <span className="min-w-0 break-words">
              {keys.map(({ name, matched }) => `${name}: ${formatCount(matched)}`).join(' · ')}
            </span>
          </div>
          <ul aria-label={policiesText.dryRun.matches} className="divide-y divide-line">
            {samples.slice(0, 10).map(({ id, created_at, key, reason }) => (
              <li key={id} className="grid gap-0.5 py-1.5 text-ui">
                <OrgLink
                  to={`/requests/${id}`}
                  className="block w-fit max-w-full truncate font-mono text-code text-accent-ink underline"
                >
                  {id}
                </OrgLink>
                <span className="text-small text-ink-2">
                  {policiesText.dryRun.sample(
                    formatFullDateTime(new Date(created_at), getBrowserTimeZone()),
                    key,
                    reason,
                  )}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
