/** Something of a document cannot be brought about here; it is told, and the rest is applied. */
export class NotAppliedError extends Error {
  override readonly name = 'NotAppliedError';
  /** It stands in floe.yaml. */
  readonly isInFile: boolean;

  constructor(message: string, isInFile = false) {
    super(message);
    this.isInFile = isInFile;
  }
}
