/**
 * Asks the user for information that the API requires, while the request waits. The component that shows the
 * prompt registers with `setHandler`. If none is registered, the request fails with its original error.
 */
export class DialogPromptHandler<Answer> {
  #asker: ((message: string) => Promise<Answer | null>) | null = null;
  #asking: Promise<Answer | null> | null = null;

  /** Sets the function that asks the user. Returns a function that removes it. */
  setHandler(asker: (message: string) => Promise<Answer | null>): () => void {
    this.#asker = asker;
    return () => {
      if (this.#asker === asker) this.#asker = null;
    };
  }

  /**
   * Asks the user and returns the response, or null if the user canceled. Requests that wait at the same time
   * share one prompt.
   */
  prompt(message: string): Promise<Answer | null> {
    if (this.#asker === null) return Promise.resolve(null);
    this.#asking ??= this.#asker(message).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }
}

/** The prompt that asks the user to confirm their identity. Shown after the error `step_up_required`. */
export const STEP_UP_PROMPT = new DialogPromptHandler<true>();

/** The prompt that asks the user why they make a change. Shown after the error `reason_required`. */
export const REASON_PROMPT = new DialogPromptHandler<string>();
