import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** A change of something on the server, with what every control that makes one needs. */
export interface Change<Input> {
  readonly run: (input: Input) => void;
  readonly running: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/**
 * Makes a change and reads again what it touched. A second click while it runs does nothing.
 * @param touches query keys (or their beginnings) that are stale afterwards
 */
export function useChange<Input, Answer>(
  make: (input: Input) => Promise<Answer>,
  options: {
    readonly touches?: readonly (readonly unknown[])[];
    readonly done?: (answer: Answer, input: Input) => void;
  } = {},
): Change<Input> {
  const client = useQueryClient();
  const mutation = useMutation<Answer, Error, Input>({
    mutationFn: make,
    async onSuccess(answer, input) {
      await Promise.all((options.touches ?? []).map((queryKey) => client.invalidateQueries({ queryKey })));
      options.done?.(answer, input);
    },
  });
  return {
    run: (input) => {
      if (!mutation.isPending) mutation.mutate(input);
    },
    running: mutation.isPending,
    error: mutation.error instanceof ApiError ? mutation.error : null,
    reset: mutation.reset,
  };
}
