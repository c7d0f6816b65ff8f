import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { showToast } from '../ui/toast.tsx';
import type { IdempotencyKeys } from './api-client.ts';
import { type ApiError, toApiError } from './api-error.ts';
import { handleChangeResult } from './change-result.ts';

/**
 * Maximum time in milliseconds that the result of a change waits for the refetched queries. A slow list must not
 * hide a value that is returned only once, such as a key.
 */
const REFETCH_MS = 2_000;

/**
 * A function that sends a change to the server, and the state of the request for the controls of the change.
 */
export interface ApiMutation<Input> {
  readonly run: (input: Input) => void;
  readonly running: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * Returns a function that sends a change to the server and then refetches the affected queries. Calls while a
 * change is in progress are ignored. If the component is no longer rendered when the response arrives, `done`
 * is still called, but cannot open a page. An error is then shown in a toast.
 * @param sendChange Sends the change. If the change creates something, `sendChange` must pass `keys` on to `sendJson`.
 * The same keys are used until the change succeeds, or until the API reports that an earlier request has made the
 * change.
 * @param options.touches The keys, or key prefixes, of the queries to refetch.
 */
export function useApiMutation<Input, Answer>(
  sendChange: (input: Input, keys: IdempotencyKeys) => Promise<Answer>,
  options: {
    readonly touches?: readonly (readonly unknown[])[];
    readonly done?: (answer: Answer, input: Input) => void;
    /**
     * Called on failure. For controls that cannot show the error themselves, such as an item of a closed
     * menu.
     */
    readonly failed?: (error: ApiError) => void;
  } = {},
): ApiMutation<Input> {
  const client = useQueryClient();
  const isRendered = useRef(false);
  // Set immediately. `isPending` changes only with the next rendering, and a second click can come before it.
  const isSent = useRef(false);
  const [keys] = useState((): IdempotencyKeys => new Map());
  useEffect(() => {
    isRendered.current = true;
    return () => {
      isRendered.current = false;
    };
  }, []);
  const mutation = useMutation<Answer, Error, Input>({
    mutationFn: (input) => sendChange(input, keys),
    async onSuccess(answer, input) {
      keys.clear();
      const refetched = (options.touches ?? []).map((queryKey) => client.invalidateQueries({ queryKey }));
      await Promise.race([Promise.all(refetched), new Promise((resolve) => setTimeout(resolve, REFETCH_MS))]);
      handleChangeResult(isRendered.current, () => options.done?.(answer, input));
    },
    onError(error) {
      const apiError = toApiError(error);
      if (apiError?.param === 'Idempotency-Key') keys.clear();
      if (options.failed && apiError) options.failed(apiError);
      else if (apiError && !isRendered.current) showToast(`A change could not be saved. ${apiError.message}`);
    },
    onSettled() {
      isSent.current = false;
    },
  });
  return {
    run: (input) => {
      if (isSent.current) return;
      isSent.current = true;
      mutation.mutate(input);
    },
    running: mutation.isPending,
    error: useMemo(() => toApiError(mutation.error), [mutation.error]),
    reset: mutation.reset,
  };
}
