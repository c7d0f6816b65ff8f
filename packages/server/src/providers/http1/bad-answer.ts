/** What came is no HTTP/1.1 answer (RFC 9112); `code` says what is wrong with it. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
  readonly code: string;

  constructor(code: BadAnswerCode) {
    super(`no valid HTTP/1.1 answer: ${code}`);
    this.code = code;
  }
}

export type BadAnswerCode =
  | 'status_line'
  | 'header'
  | 'header_too_large'
  | 'switched_protocols'
  | 'content_length'
  | 'transfer_encoding'
  | 'chunk';

/** The connection ended before the answer did, or before there was one. */
export class ClosedEarly extends Error {
  override readonly name = 'ClosedEarly';
  readonly code = 'closed_early';

  constructor() {
    super('the connection was closed before the answer was whole');
  }
}
