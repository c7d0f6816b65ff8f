import { useEffect, useState } from 'react';
import type { Question } from '../data/questions.ts';

/** A request that waits for an answer of the person. */
export interface Waiting<Answer> {
  readonly because: string;
  /** Null gives none: the refusal stands. */
  readonly answer: (given: Answer | null) => void;
}

/** The request that waits for this question; null while none does. */
export function useQuestion<Answer>(question: Question<Answer>): Waiting<Answer> | null {
  const [waiting, setWaiting] = useState<Waiting<Answer> | null>(null);
  useEffect(
    () =>
      question.onAsk(
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
