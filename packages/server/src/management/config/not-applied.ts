/** Something of a document cannot be brought about here; it is told, and the rest is applied. */
export class NotApplied extends Error {
  override readonly name = 'NotApplied';
  /** It stands in floe.yaml. */
  readonly isInFile: boolean;

  constructor(message: string, isInFile = false) {
    super(message);
    this.isInFile = isInFile;
  }
}
