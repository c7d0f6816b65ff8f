/**
 * Asks the user for information that the API requires, while the request waits. The shell shows the prompts,
 * so pages do not have to handle them. A component that shows a prompt registers here. Without one, the
 * request fails with the original error.
 */
export class PromptHandler<Answer> {
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

/** Asks the user to confirm their identity, for the error `step_up_required`. */
export const STEP_UP_PROMPT = new PromptHandler<true>();

/** Asks the user for a message, for the error `reason_required`. */
export const REASON_PROMPT = new PromptHandler<string>();
