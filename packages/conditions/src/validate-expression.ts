import type { CelExpression } from './cel-library.ts';
import { isReservedFunctionName } from './metered-environment.ts';
import { type ConditionVocabulary, getVariableMembers } from './vocabulary.ts';

/**
 * The paths of the variables that a condition reads, such as `request.model`, or `request` if it reads the
 * whole object.
 */
export type ConditionVariablePaths = ReadonlySet<string>;

/**
 * Checks that all names in a condition exist, that it creates no maps or objects, and that its loops over
 * request data are not nested and do not use `map` or `filter`. Nested loops over ten thousand messages would
 * need a hundred million steps.
 * @returns the variables that the condition reads
 * @throws Error that states what is not allowed
 */
export function validateExpression(
  expression: CelExpression,
  vocabulary: ConditionVocabulary,
): ConditionVariablePaths {
  const reader = new ExpressionValidator(vocabulary);
  reader.read(expression, 0);
  return reader.inputs;
}

class ExpressionValidator {
  readonly inputs = new Set<string>();
  readonly #loopVariables: string[] = [];
  readonly #vocabulary: ConditionVocabulary;

  constructor(vocabulary: ConditionVocabulary) {
    this.#vocabulary = vocabulary;
  }

  read(expression: CelExpression | undefined, loops: number): void {
    if (expression === undefined) return;
    const { exprKind } = expression;
    switch (exprKind.case) {
      case 'identExpr':
        return this.#name(exprKind.value.name);
      case 'selectExpr':
        return this.#select(exprKind.value.operand, exprKind.value.field, loops);
      case 'callExpr':
        if (isReservedFunctionName(exprKind.value.function))
          throw new Error(
            `unknown function "${exprKind.value.function}"; names that start with "floe_" are reserved`,
          );
        this.read(exprKind.value.target, loops);
        for (const argument of exprKind.value.args) this.read(argument, loops);
        return;
      case 'listExpr':
        for (const element of exprKind.value.elements) this.read(element, loops);
        return;
      case 'structExpr':
        throw new Error('a condition cannot create maps or objects');
      case 'comprehensionExpr': {
        const { iterRange, iterVar, iterVar2, accuVar, accuInit, loopCondition, loopStep, result } =
          exprKind.value;
        this.read(iterRange, loops);
        const inside = iterRange?.exprKind.case === 'listExpr' ? loops : loops + 1;
        if (inside > 1)
          throw new Error(
            'loops over data of the request, response or event cannot be nested; use a single loop',
          );
        if (inside > 0 && accuInit?.exprKind.case === 'listExpr')
          throw new Error(
            'map and filter are not allowed on data of the request, response or event, because the lists that they create can be as large as the data; use exists, exists_one or all',
          );
        this.#loopVariables.push(iterVar, iterVar2, accuVar);
        for (const part of [accuInit, loopCondition, loopStep, result]) this.read(part, inside);
        this.#loopVariables.length -= 3;
      }
    }
  }

  #name(name: string): void {
    if (this.#loopVariables.includes(name)) return;
    if (!Object.hasOwn(this.#vocabulary.example, name))
      throw new Error(
        `unknown variable "${name}"; the variables are ${Object.keys(this.#vocabulary.example).join(', ')}`,
      );
    this.inputs.add(name);
  }

  #select(operand: CelExpression | undefined, field: string, loops: number): void {
    const kind = operand?.exprKind;
    const root = kind?.case === 'identExpr' ? kind.value.name : '';
    const members = this.#loopVariables.includes(root) ? null : getVariableMembers(this.#vocabulary, root);
    if (members === null) return this.read(operand, loops);
    if (!members.has(field))
      throw new Error(`"${root}" has no field "${field}"; its fields are ${[...members.keys()].join(', ')}`);
    this.inputs.add(`${root}.${field}`);
  }
}
