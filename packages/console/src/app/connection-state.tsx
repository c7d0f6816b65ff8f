import { useEventStreamState } from '../data/events.ts';
import { joinClassNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

const SAID = {
  idle: { word: 'Not live', dot: 'border border-ink-3', why: 'Nothing here changes by itself.' },
  connecting: { word: 'Connecting', dot: 'border border-ink-3', why: 'Waiting for the event stream.' },
  live: { word: 'Live', dot: 'bg-healthy', why: 'Changes arrive by themselves.' },
  reconnecting: {
    word: 'Reconnecting',
    dot: 'border border-warning-ink',
    why: 'The event stream was cut; trying again.',
  },
  off: {
    word: 'Polling',
    dot: 'border border-ink-3',
    why: 'No event stream here: open lists ask again by themselves.',
  },
} as const;

/** Whether what is shown is up to date by itself. */
export function ConnectionState() {
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
