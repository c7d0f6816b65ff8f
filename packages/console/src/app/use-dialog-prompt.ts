import { useEffect, useState } from 'react';
import type { DialogPrompt } from '../data/dialog-prompts.ts';

/** A prompt that the user has not answered yet. The request that needs the answer waits for it. */
export interface PendingDialogPrompt<Answer> {
  readonly message: string;
  /** Passes the answer to the waiting request. If it is null, the request fails with its original error. */
  readonly answer: (given: Answer | null) => void;
}

/**
 * Registers the component as the one that shows this prompt. Returns the pending prompt, or null if there is
 * none.
 * @param load Loads the code of the dialog. If this fails, the request fails too, so that it does not wait for a
 * dialog that cannot be shown.
 */
export function useDialogPrompt<Answer>(
  prompt: DialogPrompt<Answer>,
  load: () => Promise<unknown>,
): PendingDialogPrompt<Answer> | null {
  const [waiting, setWaiting] = useState<PendingDialogPrompt<Answer> | null>(null);
  useEffect(
    () =>
      prompt.setHandler(async (message) => {
        await load().catch(() => {
          throw new Error('Could not load the dialog. No changes were made. Reload the page.');
        });
        return new Promise((resolve) =>
          setWaiting({
            message,
            answer: (given) => {
              setWaiting(null);
              resolve(given);
            },
          }),
        );
      }),
    [prompt, load],
  );
  return waiting;
}
