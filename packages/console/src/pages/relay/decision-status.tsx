import { Minus } from 'lucide-react';
import { joinClassNames } from '../../ui/class-names.ts';
import { STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import type { DecisionDisplay } from './decision-display.ts';

/** Shows the icon and the label of a decision. */
export function DecisionStatus({ label: { state, word } }: { readonly label: DecisionDisplay }) {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      {state === null ? (
        <Minus size={16} strokeWidth={1.75} className="shrink-0 text-ink-3" aria-hidden="true" />
      ) : (
        <StatusIcon state={state} />
      )}
      <span
        className={
          state === null || state === 'healthy'
            ? 'text-ink-2'
            : joinClassNames('font-medium', STATUS_STYLES[state].ink)
        }
      >
        {word}
      </span>
    </span>
  );
}
