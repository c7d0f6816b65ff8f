import { useEffect, useState } from 'react';
import type { PromptHandler } from '../data/prompts.ts';

/** A request that waits for an answer of the person. */
export interface PendingPrompt<Answer> {
  readonly because: string;
  /** Null gives none: the refusal stands. */
  readonly answer: (given: Answer | null) => void;
}

/** The request that waits for this question; null while none does. */
export function usePrompt<Answer>(question: PromptHandler<Answer>): PendingPrompt<Answer> | null {
  const [waiting, setWaiting] = useState<PendingPrompt<Answer> | null>(null);
  useEffect(
    () =>
      question.setHandler(
        (because) =>
          new Promise((resolve) =>
            setWaiting({
              because,
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
