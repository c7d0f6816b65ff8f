/**
 * What the API wants to know before it does something, asked of the person by the shell while the request waits: no
 * page has to know. Whoever draws the question registers here; without one the refusal stands as it came.
 */
export class PromptHandler<Answer> {
  #asker: ((because: string) => Promise<Answer | null>) | null = null;
  #asking: Promise<Answer | null> | null = null;

  /** Sets who asks the person; returns how to take it back. */
  setHandler(asker: (because: string) => Promise<Answer | null>): () => void {
    this.#asker = asker;
    return () => {
      if (this.#asker === asker) this.#asker = null;
    };
  }

  /** The answer; null when the person gave none. Requests that wait at the same time share one question. */
  prompt(because: string): Promise<Answer | null> {
    if (this.#asker === null) return Promise.resolve(null);
    this.#asking ??= this.#asker(because).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }
}

/** Who is there, once more: `step_up_required`. */
export const STEP_UP_PROMPT = new PromptHandler<true>();

/** Why, in the person's words: `reason_required`. */
export const REASON_PROMPT = new PromptHandler<string>();
