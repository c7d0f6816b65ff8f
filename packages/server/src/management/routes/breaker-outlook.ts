import type { Target } from '../../gateway/catalog.ts';
import type { BreakerView } from '../../guardrails/breakers/breakers.ts';

interface Step {
  readonly step: string;
  readonly outcome: string;
  readonly because: string;
}

/** A target and what its breaker says now; null where it has nothing to say. */
export interface Guarded {
  readonly target: Target;
  readonly view: BreakerView | null;
}

/**
 * The targets in the order in which their breakers let them be asked, as `Trial` would: those that are open or asked to
 * wait come last, the soonest first, for when nobody else is left; those that are forced open not at all.
 */
export function breakerOutlook(
  targets: readonly Target[],
  views: readonly BreakerView[],
  steps: Step[],
): { readonly asked: readonly Guarded[]; readonly kept: readonly string[] } {
  const guarded = targets.map((target): Guarded => ({ target, view: viewOf(target, views) }));
  const isForcedOpen = ({ view }: Guarded) => view?.forced?.state === 'open';
  const isAside = ({ view }: Guarded) => view !== null && !view.forced && view.waitMs > 0;
  const aside = guarded.filter(isAside).sort((one, other) => waitOf(one) - waitOf(other));
  for (const { target, view } of aside)
    steps.push({
      step: 'breaker',
      outcome: 'skipped',
      because: `${nameOf(target)}: ${view?.because || 'it asked to wait'}; asked again in ${Math.ceil(view?.waitMs ?? 0)} ms`,
    });
  const free = guarded.filter((one) => !isForcedOpen(one) && !isAside(one));
  if (free.length === 0 && aside.length > 0)
    steps.push({
      step: 'breaker',
      outcome: 'panic',
      because:
        'no other target is left: one request at a time is let through to each, the rest fails with no_healthy_target',
    });
  const kept = guarded
    .filter(isForcedOpen)
    .map(
      ({ target, view }) =>
        `${nameOf(target)}: an operator forced its breaker open: ${view?.forced?.reason ?? ''}`,
    );
  return { asked: [...free, ...aside], kept };
}

function viewOf({ provider, model, credential }: Target, views: readonly BreakerView[]): BreakerView | null {
  return (
    views.find(
      (one) => one.provider === provider.id && one.model === model && one.credential === credential.name,
    ) ?? null
  );
}

function waitOf({ view }: Guarded): number {
  return view?.waitMs ?? 0;
}

function nameOf({ provider, model }: Target): string {
  return `${provider.id}/${model}`;
}
