import { Button } from '../../ui/button.tsx';
import type { GuideState } from './guide-state.ts';
import { GUIDE_STEPS } from './guide-steps.ts';

/** One line while there is something left of the guide. */
export function GuideInvitation({
  guide,
  onOpen,
}: {
  readonly guide: GuideState;
  readonly onOpen: () => void;
}) {
  if (!guide.showsInvitation) return null;
  return (
    <section
      aria-label="Guide"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-4 py-2 text-ui"
    >
      <p className="min-w-0 flex-1">
        <b className="font-medium">Five steps to a working gateway.</b>{' '}
        <span className="text-ink-2">
          {guide.done.size} of {GUIDE_STEPS.length} done.
        </span>
      </p>
      <span className="flex gap-2">
        <Button onClick={onOpen}>Go on</Button>
        <Button look="quiet" onClick={guide.dismiss}>
          Not now
        </Button>
      </span>
    </section>
  );
}
