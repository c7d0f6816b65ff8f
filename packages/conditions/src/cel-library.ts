/** The CEL library, which is loaded when it is first needed. */
export type CelLibrary = typeof import('@bufbuild/cel');

/** A parsed CEL expression. */
export type CelExpression = ReturnType<CelLibrary['parse']>['expr'];
