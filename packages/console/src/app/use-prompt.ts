import { useEffect, useState } from 'react';
import type { PromptHandler } from '../data/prompts.ts';

/** A request that waits for input from the user. */
export interface PendingPrompt<Answer> {
  readonly message: string;
  /** Resolves the prompt. With null, the request fails with its original error. */
  readonly answer: (given: Answer | null) => void;
}

/** Returns the request that waits for this prompt, or null if there is none. */
export function usePrompt<Answer>(question: PromptHandler<Answer>): PendingPrompt<Answer> | null {
  const [waiting, setWaiting] = useState<PendingPrompt<Answer> | null>(null);
  useEffect(
    () =>
      question.setHandler(
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
    [question],
  );
  return waiting;
}
