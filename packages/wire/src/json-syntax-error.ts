/** What breaks the grammar, and where. Callers turn it into the `Fault` that fits their side. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Byte offset of the first byte that cannot continue a JSON text. */
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(problem);
    this.offset = offset;
  }
}
