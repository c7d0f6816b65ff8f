import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ApiError, toApiError } from './api-error.ts';

/** A change that can be sent to the server, and the state that its controls need. */
export interface ApiMutation<Input> {
  readonly run: (input: Input) => void;
  readonly running: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * Returns a function that sends a change to the server and then refetches the affected queries. Calls while a
 * change is in progress are ignored.
 * @param touches The keys, or key prefixes, of the queries that the change makes stale.
 */
export function useApiMutation<Input, Answer>(
  make: (input: Input) => Promise<Answer>,
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
  const mutation = useMutation<Answer, Error, Input>({
    mutationFn: make,
    async onSuccess(answer, input) {
      await Promise.all((options.touches ?? []).map((queryKey) => client.invalidateQueries({ queryKey })));
      options.done?.(answer, input);
    },
    onError(error) {
      const told = toApiError(error);
      if (told) options.failed?.(told);
    },
  });
  return {
    run: (input) => {
      if (!mutation.isPending) mutation.mutate(input);
    },
    running: mutation.isPending,
    error: useMemo(() => toApiError(mutation.error), [mutation.error]),
    reset: mutation.reset,
  };
}
