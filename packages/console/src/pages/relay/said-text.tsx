import { Minus } from 'lucide-react';
import { cx } from '../../ui/class-names.ts';
import { STATES, StateIcon } from '../../ui/state.tsx';
import type { Said } from './decision-words.ts';

/** A decision as shape and word. What was left to the agent's own rules stays quiet. */
export function SaidText({ said: { state, word } }: { readonly said: Said }) {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      {state === null ? (
        <Minus size={16} strokeWidth={1.75} className="shrink-0 text-ink-3" aria-hidden="true" />
      ) : (
        <StateIcon state={state} />
      )}
      <span
        className={
          state === null || state === 'healthy' ? 'text-ink-2' : cx('font-medium', STATES[state].ink)
        }
      >
        {word}
      </span>
    </span>
  );
}
