/**
 * Asks the user for information that the API requires, while the request waits. A component that shows the
 * prompt must be registered with `setHandler`. Otherwise, the request fails with its original error.
 */
export class DialogPrompt<Answer> {
  #asker: ((message: string) => Promise<Answer | null>) | null = null;
  #asking: Promise<Answer | null> | null = null;
  #cancel: () => void = () => undefined;

  /**
   * Sets the function that asks the user. Returns a function that removes it, which cancels the prompt that the
   * user has not answered.
   */
  setHandler(asker: (message: string) => Promise<Answer | null>): () => void {
    this.#asker = asker;
    return () => {
      if (this.#asker !== asker) return;
      this.#asker = null;
      this.#cancel();
    };
  }

  /**
   * Asks the user and returns the response, or null if the user canceled. Requests that wait at the same time
   * share one prompt.
   */
  prompt(message: string): Promise<Answer | null> {
    if (this.#asker === null) return Promise.resolve(null);
    if (this.#asking === null) {
      const canceled = new Promise<null>((resolve) => {
        this.#cancel = () => resolve(null);
      });
      this.#asking = Promise.race([this.#asker(message), canceled]).finally(() => {
        this.#asking = null;
      });
    }
    return this.#asking;
  }
}

/** The prompt that asks the user to confirm their identity. Shown after the error `step_up_required`. */
export const STEP_UP_PROMPT = new DialogPrompt<true>();

/** The prompt that asks the user for the reason for a change. Shown after the error `reason_required`. */
export const REASON_PROMPT = new DialogPrompt<string>();
