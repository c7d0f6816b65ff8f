/** The CEL library. It is loaded on demand. */
export type CelLibrary = typeof import('@bufbuild/cel');

/** A parsed CEL expression. */
export type CelExpression = ReturnType<CelLibrary['parse']>['expr'];
