import { Button } from '../../ui/button.tsx';
import type { SetupGuideState } from './setup-guide-state.ts';
import { SETUP_GUIDE_STEPS } from './setup-guide-steps.ts';
import { overviewText } from './text.ts';

/** Renders a notice with a link to the setup guide if steps are incomplete. */
export function SetupGuideLink({
  guide,
  onOpen,
}: {
  readonly guide: SetupGuideState;
  readonly onOpen: () => void;
}) {
  if (!guide.showsLink) return null;
  return (
    <section
      aria-label={overviewText.guide.label}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-4 py-2 text-ui"
    >
      <p className="min-w-60 flex-1">
        <b className="font-medium">{overviewText.guide.title}.</b>{' '}
        <span className="text-ink-2">
          {overviewText.guide.progress(guide.done.size, SETUP_GUIDE_STEPS.length)}
        </span>
      </p>
      <span className="flex gap-2">
        <Button onClick={onOpen}>{overviewText.guide.continue}</Button>
        <Button look="quiet" onClick={guide.dismiss}>
          {overviewText.guide.dismiss}
        </Button>
      </span>
    </section>
  );
}
