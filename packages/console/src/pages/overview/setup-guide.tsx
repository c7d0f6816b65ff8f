import { ChevronDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { BudgetStep } from './budget-step.tsx';
import { MonitorStep } from './monitor-step.tsx';
import { RequestStep } from './request-step.tsx';
import type { SetupGuideState } from './setup-guide-state.ts';
import { SETUP_GUIDE_STEPS, type SetupGuideStepId } from './setup-guide-steps.ts';
import { overviewText } from './text.ts';

interface SetupGuideProps {
  readonly guide: SetupGuideState;
  readonly onClose: () => void;
}

/**
 * Renders the setup guide. Its steps can be completed in any order. A step is complete when the server has
 * recorded its result.
 */
export function SetupGuide({ guide, onClose }: SetupGuideProps) {
  const { done } = guide;
  const [chosen, setChosen] = useState<SetupGuideStepId | 'none' | null>(null);
  const open = chosen ?? 'request';
  const steps: Readonly<Record<SetupGuideStepId, { readonly title: string; readonly content: ReactNode }>> = {
    request: { title: overviewText.guide.steps.request, content: <RequestStep /> },
    provider: {
      title: overviewText.guide.steps.provider,
      content: <ProviderStep isDone={done.has('provider')} />,
    },
    client: { title: overviewText.guide.steps.client, content: <ClientStep isDone={done.has('client')} /> },
    monitor: { title: overviewText.guide.steps.monitor, content: <MonitorStep monitors={guide.monitors} /> },
    budget: { title: overviewText.guide.steps.budget, content: <BudgetStep isDone={done.has('budget')} /> },
  };
  return (
    <div className="mx-auto grid max-w-3xl gap-5 py-2">
      <header>
        <h2 className="text-title font-semibold tracking-tight">{overviewText.guide.title}</h2>
        <p className="mt-1 text-body text-ink-2">{overviewText.guide.intro}</p>
      </header>
      <ol className="divide-y divide-line rounded-card border border-line bg-surface">
        {SETUP_GUIDE_STEPS.map((step, index) => (
          <GuideStep
            key={step}
            number={index + 1}
            title={steps[step].title}
            isDone={done.has(step)}
            isOpen={open === step}
            onToggle={() => setChosen(open === step ? 'none' : step)}
          >
            {steps[step].content}
          </GuideStep>
        ))}
      </ol>
      <footer className="flex flex-wrap items-center gap-3 text-ui text-ink-2">
        {done.size === SETUP_GUIDE_STEPS.length && (
          <p className="w-full">
            <b className="font-medium text-ink">{overviewText.guide.complete}</b>{' '}
            {overviewText.guide.completeHint}
          </p>
        )}
        <Button look={done.size === SETUP_GUIDE_STEPS.length ? 'primary' : 'secondary'} onClick={onClose}>
          {overviewText.guide.show}
        </Button>
        {done.size < SETUP_GUIDE_STEPS.length && (
          <Button
            look="quiet"
            onClick={() => {
              guide.dismiss();
              onClose();
            }}
          >
            {overviewText.guide.dismiss}
          </Button>
        )}
      </footer>
    </div>
  );
}

function GuideStep({
  number,
  title,
  isDone,
  isOpen,
  onToggle,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}) {
  return (
    <li>
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onToggle}
          className="flex min-h-12 w-full items-center gap-3 px-4 text-left text-body -outline-offset-2 hover:bg-hover"
        >
          <span className="grid size-6 shrink-0 place-items-center rounded-full border border-line-strong text-label text-ink-2">
            {isDone ? <StatusIcon state="healthy" /> : number}
          </span>
          <span className={joinClassNames('flex-1', isOpen && 'font-medium')}>{title}</span>
          {isDone && <span className="text-small text-ink-2">{overviewText.guide.done}</span>}
          <ChevronDown
            size={16}
            aria-hidden="true"
            className={joinClassNames('text-ink-3', isOpen && 'rotate-180')}
          />
        </button>
      </h3>
      {/* A closed step keeps its state, such as a new key that is shown only once. */}
      <div hidden={!isOpen} className="grid gap-3 px-4 pb-4 pl-13 max-md:pl-4">
        {children}
      </div>
    </li>
  );
}

function ProviderStep({ isDone }: { readonly isDone: boolean }) {
  return (
    <>
      <p className="text-ui text-ink-2">
        {isDone ? overviewText.providerStep.done : overviewText.providerStep.open}
      </p>
      <p className="text-ui">
        {isDone ? (
          <OrgLink to="/management/providers">{overviewText.providerStep.showProviders}</OrgLink>
        ) : (
          <OrgLink to="/management/providers/new" needs="management">
            {overviewText.providerStep.addProvider}
          </OrgLink>
        )}
      </p>
    </>
  );
}

function ClientStep({ isDone }: { readonly isDone: boolean }) {
  return (
    <>
      <p className="text-ui text-ink-2">
        {isDone ? overviewText.clientStep.done : overviewText.clientStep.open}
      </p>
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-ui">
        <OrgLink to="/connect/claude-code">Claude Code</OrgLink>
        <OrgLink to="/connect/codex">Codex</OrgLink>
        <OrgLink to="/connect/cursor">Cursor</OrgLink>
        <OrgLink to="/connect">{overviewText.clientStep.allClients}</OrgLink>
      </p>
    </>
  );
}
