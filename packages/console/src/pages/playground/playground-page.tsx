import { useQuery } from '@tanstack/react-query';
import { Columns2, Play, Square, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useOrgId, useUrlState } from '../../app/url-state.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { type ModelResource, modelLookupQuery } from '../../data/lookup-queries.ts';
import { buildPromptStorageKey } from '../../data/playground-storage.ts';
import { useSignedInSession } from '../../data/session.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { copyWithToast } from '../../ui/copy-button.tsx';
import { ErrorState, Notice } from '../../ui/feedback.tsx';
import { Field } from '../../ui/field.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import {
  continueConversation,
  NEW_PLAYGROUND_PROMPT,
  type PlaygroundPrompt,
  validatePrompt,
} from './chat-request.ts';
import { toModelOptions } from './playground-data.ts';
import { PromptForm } from './prompt-form.tsx';
import { NotLoadedNotice, RequestPromptLoader } from './request-prompt-loader.tsx';
import { buildRequestSnippets } from './request-snippets.ts';
import { ResponsePane } from './response-pane.tsx';
import { loadStoredPrompt, storePrompt } from './stored-prompt.ts';
import { playgroundText } from './text.ts';
import { useChatRuns } from './use-chat-runs.ts';

/**
 * Renders the page that sends a prompt to a model or route, as a client would, or to two of them to compare the
 * responses.
 */
export function PlaygroundPage() {
  const { user } = useSignedInSession();
  const storageKey = buildPromptStorageKey(user.id, useOrgId());
  // A prompt of another organization or user is never shown, nor sent.
  return <PlaygroundOfUser key={storageKey} storageKey={storageKey} />;
}

function PlaygroundOfUser({ storageKey }: { readonly storageKey: string }) {
  const play = usePlayground(storageKey);
  const { models, prompt, setPrompt, problem, from, change } = play;
  const [notLoaded, setNotLoaded] = useState<readonly string[]>([]);
  const refusal = useDenialReason('playground');
  const hasSandbox = models.data?.data.some(({ provider }) => provider === 'sandbox') === true;
  return (
    <PageFrame title={playgroundText.page.title} actions={<Toolbar play={play} />}>
      <div className="grid gap-4">
        {refusal && <Notice state="unknown">{playgroundText.page.permission(refusal)}</Notice>}
        {from && (
          <RequestPromptLoader
            id={from}
            onLoaded={({ prompt: loaded, model, notLoaded: parts }) => {
              setPrompt({ ...NEW_PLAYGROUND_PROMPT, ...loaded });
              setNotLoaded(parts);
              change({ from: null, ...(model ? { model } : {}) }, 'replace');
            }}
            onClose={() => change({ from: null }, 'replace')}
          />
        )}
        <NotLoadedNotice parts={notLoaded} onClose={() => setNotLoaded([])} />
        {models.error && !models.data && (
          <ErrorState
            what={playgroundText.page.modelsFailed}
            error={models.error}
            onRetry={() => void models.refetch()}
          />
        )}
        <p className="text-ui text-ink-2">{playgroundText.page.runCost}</p>
        {models.data && isSandboxOnly(models.data.data) && (
          <p className="text-ui text-ink-2">
            <b className="font-medium text-ink">
              {hasSandbox ? playgroundText.page.sandboxOnly : playgroundText.page.noProvider}
            </b>{' '}
            {hasSandbox ? playgroundText.page.sandboxHint : playgroundText.page.noProviderHint}{' '}
            <OrgLink to="/management/providers/new" needs="management">
              {playgroundText.page.addProvider}
            </OrgLink>
          </p>
        )}
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <section aria-label={playgroundText.page.prompt} className="grid gap-4">
            <ModelPickers play={play} />
            <PromptForm prompt={prompt} problem={problem} onChange={setPrompt} />
          </section>
          <Answers play={play} />
        </div>
      </div>
    </PageFrame>
  );
}

type Playground = ReturnType<typeof usePlayground>;

function usePlayground(storageKey: string) {
  const { query, change } = useUrlState();
  const models = useQuery(modelLookupQuery);
  const [prompt, setPrompt] = useState<PlaygroundPrompt>(() => loadStoredPrompt(storageKey));
  const [tried, setTried] = useState(false);
  const runs = useChatRuns();
  const refusal = useDenialReason('playground');
  useEffect(() => storePrompt(storageKey, prompt), [storageKey, prompt]);
  const choices = toModelOptions(models.data?.data ?? []);
  const first = query.get('model') ?? defaultModel(models.data?.data ?? []);
  const beside = query.get('beside');
  const chosen = beside === null ? [first] : [first, beside];
  const found = validatePrompt(prompt);
  const run = () => {
    setTried(true);
    if (found === null && refusal === null && chosen.every((model) => model !== ''))
      runs.start(prompt, chosen);
  };
  const copy = (label: string) => {
    const { code = '', omitted = [] } =
      buildRequestSnippets(prompt, chosen, buildApiUrl('gateway').href).find((one) => one.label === label) ??
      {};
    copyWithToast(code, playgroundText.page.codeCopied(label, omitted));
  };
  useShortcuts([
    { keys: 'mod+enter', does: playgroundText.toolbar.runShortcut, run },
    { keys: 'Escape', does: playgroundText.toolbar.stopShortcut, run: runs.stop },
  ]);
  const problem = tried ? found : null;
  const from = query.get('from');
  return { models, choices, chosen, beside, change, prompt, setPrompt, problem, runs, run, copy, from };
}

function Answers({ play }: { readonly play: Playground }) {
  const { chosen, runs, prompt, setPrompt } = play;
  return (
    <section
      aria-label={playgroundText.page.answers}
      className={chosen.length > 1 ? 'grid gap-4 2xl:grid-cols-2' : 'grid gap-4'}
    >
      {chosen.map((model, index) => (
        <ResponsePane
          // biome-ignore lint/suspicious/noArrayIndexKey: the two columns are identified by their position.
          key={index}
          run={runs.runs[index] ?? null}
          onContinue={
            chosen.length === 1 && model !== ''
              ? () => {
                  const run = runs.runs[0];
                  if (run) setPrompt(continueConversation(prompt, run.answer));
                  runs.clear();
                }
              : null
          }
        />
      ))}
    </section>
  );
}

function Toolbar({ play }: { readonly play: Playground }) {
  const { beside, change, choices, runs, run, copy, chosen } = play;
  const other = choices.find(({ value }) => value !== chosen[0])?.value ?? chosen[0] ?? '';
  return (
    <>
      {beside === null && (
        <Button icon={Columns2} onClick={() => change({ beside: other })}>
          {playgroundText.toolbar.compare}
        </Button>
      )}
      <Menu trigger={<Button>{playgroundText.toolbar.copyAs}</Button>}>
        {[
          'curl',
          'Python, OpenAI',
          'Python, Anthropic',
          'TypeScript, OpenAI',
          'TypeScript, Anthropic',
          'AI SDK',
        ].map((label) => (
          <MenuItem key={label} onSelect={() => copy(label)}>
            {label}
          </MenuItem>
        ))}
      </Menu>
      {runs.running ? (
        <Button icon={Square} onClick={runs.stop}>
          {playgroundText.toolbar.stop}
        </Button>
      ) : (
        <Button look="primary" icon={Play} needs="playground" onClick={run}>
          {playgroundText.toolbar.run}
        </Button>
      )}
    </>
  );
}

function ModelPickers({ play }: { readonly play: Playground }) {
  const { choices, chosen, beside, change } = play;
  return (
    <div className={beside === null ? 'grid gap-3' : 'grid gap-3 sm:grid-cols-2'}>
      <Field label={playgroundText.models.first}>
        <Combobox
          choices={choices}
          value={chosen[0] ?? ''}
          placeholder={playgroundText.models.placeholder}
          free
          onChange={(model) => change({ model }, 'replace')}
        />
      </Field>
      {beside !== null && (
        <div className="relative">
          <Field label={playgroundText.models.second}>
            <Combobox
              choices={choices}
              value={beside}
              placeholder={playgroundText.models.placeholder}
              free
              onChange={(model) => change({ beside: model }, 'replace')}
            />
          </Field>
          <IconButton
            icon={X}
            label={playgroundText.models.stopComparing}
            onClick={() => change({ beside: null })}
            className="absolute! -top-1.5 right-0 size-6"
          />
        </div>
      )}
    </div>
  );
}

/** Returns the first route. Without routes, returns the sandbox echo model, otherwise the first model. */
function defaultModel(models: readonly ModelResource[]): string {
  const route = models.find(({ kind }) => kind === 'alias');
  const echo = models.find(({ id }) => id === 'sandbox/echo');
  return (route ?? echo ?? models[0])?.id ?? '';
}

function isSandboxOnly(models: readonly ModelResource[]): boolean {
  return models.every(({ kind, provider }) => kind === 'alias' || provider === 'sandbox');
}
