import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ApiError, toApiError } from './api-error.ts';

/** A change of something on the server, with what every control that makes one needs. */
export interface ApiMutation<Input> {
  readonly run: (input: Input) => void;
  readonly running: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * Makes a change and reads again what it touched. A second click while it runs does nothing.
 * @param touches query keys (or their beginnings) that are stale afterwards
 */
export function useApiMutation<Input, Answer>(
  make: (input: Input) => Promise<Answer>,
  options: {
    readonly touches?: readonly (readonly unknown[])[];
    readonly done?: (answer: Answer, input: Input) => void;
    /** For what has no place of its own to say it in, as in a menu that is gone by then. */
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
