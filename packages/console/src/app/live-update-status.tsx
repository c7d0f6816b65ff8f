import { useEventStreamState } from '../data/use-server-events.ts';
import { joinClassNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

const SAID = {
  idle: { word: 'Not live', dot: 'border border-ink-3', why: 'This page does not update automatically.' },
  connecting: { word: 'Connecting', dot: 'border border-ink-3', why: 'Connecting to the event stream.' },
  live: { word: 'Live', dot: 'bg-healthy', why: 'This page updates automatically.' },
  reconnecting: {
    word: 'Reconnecting',
    dot: 'border border-warning-ink',
    why: 'The event stream was interrupted. Floe is reconnecting.',
  },
  off: {
    word: 'Polling',
    dot: 'border border-ink-3',
    why: 'The event stream is not available. Lists are refreshed at intervals.',
  },
} as const;

/** Shows whether the page updates automatically. */
export function LiveUpdateStatus() {
  const { word, dot, why } = SAID[useEventStreamState()];
  return (
    <Tooltip text={why} side="top">
      <span className="flex shrink-0 items-center gap-1.5 pr-1 text-small text-ink-2">
        <span className={joinClassNames('size-2 rounded-full', dot)} />
        {word}
      </span>
    </Tooltip>
  );
}
