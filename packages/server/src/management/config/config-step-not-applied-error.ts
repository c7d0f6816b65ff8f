/**
 * Thrown if a part of a document cannot be applied. The response reports the part, and the rest of
 * the document is applied.
 */
export class ConfigStepNotAppliedError extends Error {
  override readonly name = 'NotAppliedError';
  /** True if floe.yaml defines the resource. */
  readonly isInFile: boolean;

  constructor(message: string, isInFile = false) {
    super(message);
    this.isInFile = isInFile;
  }
}
