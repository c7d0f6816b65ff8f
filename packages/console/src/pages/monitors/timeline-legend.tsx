import { STATUS_STYLES } from '../../ui/status.tsx';
import { monitorDetailText } from './monitor-detail-text.ts';

/**
 * Explains the colors and marks of the timeline. If `changed` is true, also explains the lines that mark
 * schedule changes.
 */
export function TimelineLegend({ changed }: { readonly changed: boolean }) {
  const states = ['healthy', 'failing', 'waiting', 'unknown', 'paused'] as const;
  const looks = {
    healthy: 'bg-healthy',
    failing: 'bg-failing',
    waiting: 'border border-dashed border-waiting',
    unknown: 'hatched border border-unknown',
    paused: 'border border-paused',
  };
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-small text-ink-2">
      {states.map((state) => (
        <li key={state} className="flex items-center gap-1.5">
          <span className={`h-2.5 w-3.5 ${looks[state]}`} aria-hidden="true" />
          {STATUS_STYLES[state].word}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span className="h-2 w-px bg-ink-3" aria-hidden="true" /> {monitorDetailText.timeline.beat}
      </li>
      <li className="flex items-center gap-1.5">
        <span className="font-bold text-failing-ink" aria-hidden="true">
          ×
        </span>
        {monitorDetailText.timeline.missed}
      </li>
      {changed && (
        <li className="flex items-center gap-1.5">
          <span className="h-3 border-l border-dashed border-ink" aria-hidden="true" />{' '}
          {monitorDetailText.timeline.scheduleChanged}
        </li>
      )}
    </ul>
  );
}
