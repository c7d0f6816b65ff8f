export type CelLibrary = typeof import('@bufbuild/cel');

export type CelExpression = ReturnType<CelLibrary['parse']>['expr'];
