import { formatDuration } from '../../format/amounts.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { getBreakerStateDisplay } from '../breakers/breaker-state-display.ts';
import type { RouteSimulation } from './simulation-form.ts';
import { routesText } from './text.ts';

/**
 * Lists the targets in the order in which they would be tried. Then lists the skipped targets, each with the
 * reason.
 */
export function SimulatedTargets({ answer: { targets, skipped } }: { readonly answer: RouteSimulation }) {
  if (targets.length === 0 && skipped.length === 0) return null;
  return (
    <ol aria-label={routesText.simulated.label} className="grid gap-1.5 border-t border-line pt-3 text-ui">
      {targets.map(({ provider, model, credential, breaker, wait_ms, reason }, index) => {
        const { state, word } = getBreakerStateDisplay({ state: breaker, forced: null, wait_ms });
        return (
          <li
            key={`${provider}/${model}@${credential}`}
            className="grid grid-cols-[1.25rem_auto_1fr] items-start gap-x-2"
          >
            <span className="text-right text-ink-3 figures">{index + 1}</span>
            <span className="mt-0.5">
              <StatusIcon state={state} />
            </span>
            <span className="min-w-0 break-words">
              {provider}/{model} {credential !== 'none' && <span className="text-ink-3">{credential}</span>}
              {state !== 'healthy' && (
                <span className="block text-ink-2">
                  {word.toLowerCase()}
                  {wait_ms > 0 && routesText.simulated.retryIn(formatDuration(wait_ms))}
                  {reason && routesText.simulated.reason(reason)}
                </span>
              )}
            </span>
          </li>
        );
      })}
      {skipped.map((reason) => (
        <li key={reason} className="grid grid-cols-[1.25rem_auto_1fr] items-start gap-x-2">
          <span className="text-right text-ink-3">{routesText.simulated.notUsed}</span>
          <span className="mt-0.5">
            <StatusIcon state="warning" />
          </span>
          <span className="min-w-0 break-words text-ink-2">{reason}</span>
        </li>
      ))}
    </ol>
  );
}
