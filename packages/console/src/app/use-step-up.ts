import { useEffect, useState } from 'react';
import { onStepUp } from '../data/step-up.ts';

type Done = (confirmed: boolean) => void;

/** How to answer the request that waits for a fresh sign-in; null while none does. */
export function useStepUp(): Done | null {
  const [done, setDone] = useState<Done | null>(null);
  useEffect(
    () =>
      onStepUp(
        () =>
          new Promise((resolve) =>
            setDone(() => (confirmed: boolean) => {
              setDone(null);
              resolve(confirmed);
            }),
          ),
      ),
    [],
  );
  return done;
}
