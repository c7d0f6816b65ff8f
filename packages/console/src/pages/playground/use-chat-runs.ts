import { useCallback, useEffect, useRef, useState } from 'react';
import { useOrgId } from '../../app/url-state.ts';
import { ApiError } from '../../data/api-error.ts';
import { discardPlaygroundKey, getOrCreatePlaygroundKey } from '../../data/created-keys.ts';
import { useSignedInSession } from '../../data/session.ts';
import type { PlaygroundPrompt } from './chat-request.ts';
import { type ChatRun, createChatRun, runChat } from './run-chat.ts';

/** The responses of the compared models, and the functions that start and stop them. */
export interface ChatRunsState {
  /** One run per model, in column order. Null before the first run. */
  readonly runs: readonly (ChatRun | null)[];
  readonly running: boolean;
  readonly start: (prompt: PlaygroundPrompt, models: readonly string[]) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

/** Sends one prompt to one or two models. Renders the responses at most once per animation frame. */
export function useChatRuns(): ChatRunsState {
  const [runs, setRuns] = useState<readonly (ChatRun | null)[]>([]);
  const abort = useRef<AbortController | null>(null);
  const org = useOrgId();
  const { name } = useSignedInSession().user;
  const stop = useCallback(() => abort.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const start = (prompt: PlaygroundPrompt, models: readonly string[]) => {
    abort.current?.abort();
    const mine = new AbortController();
    abort.current = mine;
    const latest: ChatRun[] = models.map(createChatRun);
    const draw = drawnOncePerFrame(() => abort.current === mine && setRuns([...latest]));
    draw();
    models.forEach((model, index) => {
      const report = (run: ChatRun) => {
        latest[index] = run;
        draw();
      };
      void getOrCreatePlaygroundKey(org, name).then(
        async (key) => {
          const { error } = await runChat({ prompt, model, key, signal: mine.signal, report });
          // The key was revoked or has expired, so the next run creates a new one.
          if (error?.status === 401) discardPlaygroundKey();
        },
        (error: unknown) =>
          report({
            ...createChatRun(model),
            phase: 'failed',
            error: error instanceof ApiError ? error : null,
          }),
      );
    });
  };
  return {
    runs,
    running: runs.some((run) => run?.phase === 'running'),
    start,
    stop,
    clear: () => setRuns([]),
  };
}

function drawnOncePerFrame(draw: () => void): () => void {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      draw();
    });
  };
}
