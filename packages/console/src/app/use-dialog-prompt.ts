import { useEffect, useState } from 'react';
import type { DialogPromptHandler } from '../data/dialog-prompts.ts';

/** A prompt that the user has not answered yet. The request that needs the answer waits for it. */
export interface PendingDialogPrompt<Answer> {
  readonly message: string;
  /** Resolves the prompt. With null, the request fails with its original error. */
  readonly answer: (given: Answer | null) => void;
}

/**
 * Registers the component as the one that shows this prompt. Returns the pending prompt, or null if there is
 * none.
 */
export function useDialogPrompt<Answer>(
  prompt: DialogPromptHandler<Answer>,
): PendingDialogPrompt<Answer> | null {
  const [waiting, setWaiting] = useState<PendingDialogPrompt<Answer> | null>(null);
  useEffect(
    () =>
      prompt.setHandler(
        (message) =>
          new Promise((resolve) =>
            setWaiting({
              message,
              answer: (given) => {
                setWaiting(null);
                resolve(given);
              },
            }),
          ),
      ),
    [prompt],
  );
  return waiting;
}
