export type Cel = typeof import('@bufbuild/cel');

export type Expression = ReturnType<Cel['parse']>['expr'];
