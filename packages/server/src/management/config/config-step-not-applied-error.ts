/**
 * Thrown if a step of applying a configuration document is not possible. The response reports the step, and
 * the other steps are applied.
 */
export class ConfigStepNotAppliedError extends Error {
  override readonly name = 'ConfigStepNotAppliedError';
  /** True if floe.yaml defines the resource. */
  readonly isInFile: boolean;

  constructor(message: string, isInFile = false) {
    super(message);
    this.isInFile = isInFile;
  }
}
