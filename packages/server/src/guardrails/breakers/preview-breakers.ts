import type { BreakerTarget, BreakerView } from './breakers.ts';

/** A target and what its breaker says now; null where it has nothing to say. */
export interface TargetPreview<Target> {
  readonly target: Target;
  readonly view: BreakerView | null;
}

/** What breakers would do with a request now. */
export interface BreakerPreview<Target> {
  /** In the order in which they would be asked. */
  readonly asked: readonly TargetPreview<Target>[];
  /** Why others would not be asked at all. */
  readonly skipped: readonly string[];
  readonly steps: readonly BreakerPreviewStep[];
}

export interface BreakerPreviewStep {
  readonly outcome: 'skipped' | 'panic';
  readonly because: string;
}

/**
 * The targets in the order in which their breakers let them be asked, as `Trial` would: those that are open or asked to
 * wait come last, the soonest first, for when nobody else is left; those that are forced open not at all.
 */
export function previewBreakers<Target extends BreakerTarget>(
  targets: readonly Target[],
  views: readonly BreakerView[],
): BreakerPreview<Target> {
  const steps: BreakerPreviewStep[] = [];
  const guarded = targets.map((target) => ({ target, view: findView(target, views) }));
  const isForcedOpen = ({ view }: WithBreakerView) => view?.forced?.state === 'open';
  const isAside = ({ view }: WithBreakerView) => view !== null && !view.forced && view.waitMs > 0;
  const aside = guarded.filter(isAside).sort((one, other) => waitOf(one) - waitOf(other));
  for (const { target, view } of aside)
    steps.push({
      outcome: 'skipped',
      because: `${nameOf(target)}: ${view?.because || 'rate limited'}; available again in ${Math.ceil(view?.waitMs ?? 0)} ms`,
    });
  const free = guarded.filter((one) => !isForcedOpen(one) && !isAside(one));
  if (free.length === 0 && aside.length > 0)
    steps.push({
      outcome: 'panic',
      because:
        'no other target is available: each accepts one request at a time, and other requests fail with no_healthy_target',
    });
  const skipped = guarded
    .filter(isForcedOpen)
    .map(
      ({ target, view }) =>
        `${nameOf(target)}: an operator forced its breaker open: ${view?.forced?.reason ?? ''}`,
    );
  return { asked: [...free, ...aside], skipped, steps };
}

type WithBreakerView = Pick<TargetPreview<BreakerTarget>, 'view'>;

function findView(
  { provider, model, credential }: BreakerTarget,
  views: readonly BreakerView[],
): BreakerView | null {
  return (
    views.find(
      (one) => one.provider === provider.id && one.model === model && one.credential === credential.name,
    ) ?? null
  );
}

function waitOf({ view }: WithBreakerView): number {
  return view?.waitMs ?? 0;
}

function nameOf({ provider, model }: BreakerTarget): string {
  return `${provider.id}/${model}`;
}
