/** A JSON syntax error and its position. Callers convert it to a `Fault`. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Offset of the first byte that is not valid JSON. */
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(problem);
    this.offset = offset;
  }
}
