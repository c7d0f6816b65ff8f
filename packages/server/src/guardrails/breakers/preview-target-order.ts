import type { BreakerTarget, BreakerView } from './breakers.ts';

/** A target and its breaker's state; null if the target has no breaker. */
export interface TargetWithBreaker<Target> {
  readonly target: Target;
  readonly view: BreakerView | null;
}

/** How the breakers would affect a request that is sent now. */
export interface TargetOrderPreview<Target> {
  /** In the order in which the targets would be tried. */
  readonly asked: readonly TargetWithBreaker<Target>[];
  /** Reasons why other targets would not be tried. */
  readonly skipped: readonly string[];
  readonly steps: readonly TargetOrderPreviewStep[];
}

/** A breaker decision that would affect the request. */
export interface TargetOrderPreviewStep {
  readonly outcome: 'skipped' | 'panic';
  readonly reason: string;
}

/**
 * Returns the targets in the order in which a request would try them. Targets whose
 * breaker is open or in a cooldown come last, sorted by the remaining wait, shortest first. Targets
 * whose breaker is forced open are omitted.
 */
export function previewTargetOrder<Target extends BreakerTarget>(
  targets: readonly Target[],
  views: readonly BreakerView[],
): TargetOrderPreview<Target> {
  const steps: TargetOrderPreviewStep[] = [];
  const guarded = targets.map((target) => ({ target, view: findView(target, views) }));
  const isForcedOpen = ({ view }: WithBreakerView) => view?.forced?.state === 'open';
  const isAside = ({ view }: WithBreakerView) => view !== null && !view.forced && view.waitMs > 0;
  const aside = guarded.filter(isAside).sort((one, other) => waitOf(one) - waitOf(other));
  for (const { target, view } of aside)
    steps.push({
      outcome: 'skipped',
      reason: `${nameOf(target)}: ${view?.reason || 'rate limited'}; available again in ${Math.ceil(view?.waitMs ?? 0)} ms`,
    });
  const free = guarded.filter((one) => !isForcedOpen(one) && !isAside(one));
  if (free.length === 0 && aside.length > 0)
    steps.push({
      outcome: 'panic',
      reason:
        'all targets whose breaker is not forced open are failing or rate limited: Floe still tries them, but limits the number of concurrent requests to failing targets and rejects other requests with no_healthy_target',
    });
  const skipped = guarded
    .filter(isForcedOpen)
    .map(
      ({ target, view }) => `${nameOf(target)}: its breaker was forced open: ${view?.forced?.reason ?? ''}`,
    );
  return { asked: [...free, ...aside], skipped, steps };
}

type WithBreakerView = Pick<TargetWithBreaker<BreakerTarget>, 'view'>;

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
