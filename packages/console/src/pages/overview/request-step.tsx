import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useOrgId } from '../../app/url-state.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { getOrCreatePlaygroundKey } from '../../data/created-keys.ts';
import { useSignedInSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CONNECTABLE_CLIENTS, KEY_VARIABLE } from '../connect/connectable-clients.ts';
import {
  buildNewestRequestQuery,
  FirstRequestResult,
  newestSuccessfulRequestQuery,
  WaitingStatus,
} from '../connect/first-request.tsx';
import { KeyStep, UnsavedKeyGuard, useKeyCreation } from '../connect/key-step.tsx';
import { NEW_PLAYGROUND_PROMPT } from '../playground/chat-request.ts';
import { runChat } from '../playground/run-chat.ts';
import { overviewText } from './text.ts';

const HELLO = { ...NEW_PLAYGROUND_PROMPT, turns: [{ role: 'user', text: 'Hello' }] } as const;

/**
 * Renders the step of the setup guide that sends the first request, with a command to copy or with a button.
 */
export function RequestStep() {
  const creation = useKeyCreation('first-steps');
  const org = useOrgId();
  const { user } = useSignedInSession();
  const newest = useQuery(buildNewestRequestQuery([])).data;
  const succeeded = useQuery(newestSuccessfulRequestQuery).data;
  const send = useApiMutation(
    async () => {
      const key = await getOrCreatePlaygroundKey(org, user.name);
      const signal = AbortSignal.timeout(30_000);
      const { error } = await runChat({
        prompt: HELLO,
        model: 'sandbox/echo',
        key,
        signal,
        report: () => undefined,
      });
      if (error) throw error;
    },
    { touches: [['first-use']] },
  );
  const settings = {
    gateway: buildApiUrl('gateway').href,
    key: creation.created?.key ?? KEY_VARIABLE,
    model: 'sandbox/echo',
  };
  const snippets = ['curl', 'python-openai', 'typescript-openai'].flatMap((id) => {
    const client = CONNECTABLE_CLIENTS.find((one) => one.id === id);
    return client ? client.snippets(settings).map(({ code }) => ({ label: client.name, code })) : [];
  });
  // One successful request is enough. Failed requests do not matter, whoever sent them.
  const row = succeeded?.data[0] ?? (succeeded && newest?.data[0]);
  return (
    <>
      <p className="text-ui text-ink-2">{overviewText.requestStep.intro}</p>
      <UnsavedKeyGuard creation={creation}>
        <KeyStep creation={creation} />
        <CodeBlock snippets={snippets} />
      </UnsavedKeyGuard>
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={Send} needs="playground" busy={send.running} onClick={() => send.run(undefined)}>
          {overviewText.requestStep.send}
        </Button>
        {row ? (
          <FirstRequestResult row={row} client={overviewText.requestStep.client} />
        ) : (
          <WaitingStatus>{overviewText.requestStep.waiting}</WaitingStatus>
        )}
      </div>
      {send.error && (
        <p role="alert" className="text-small text-failing-ink">
          {send.error.message}
        </p>
      )}
    </>
  );
}
