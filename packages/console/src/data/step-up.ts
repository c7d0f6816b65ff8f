/**
 * Where the API wants a fresh sign-in, the shell asks for it and the request goes out again: no page has to know.
 * Whoever draws the question registers here; without one the refusal stands as it came.
 */
type Ask = () => Promise<boolean>;

let ask: Ask | null = null;
let asking: Promise<boolean> | null = null;

/** Sets who asks the person; returns how to take it back. */
export function onStepUp(asker: Ask): () => void {
  ask = asker;
  return () => {
    if (ask === asker) ask = null;
  };
}

/** True once the person has confirmed who they are. Requests that wait at the same time share one question. */
export function stepUp(): Promise<boolean> {
  if (ask === null) return Promise.resolve(false);
  asking ??= ask().finally(() => {
    asking = null;
  });
  return asking;
}
