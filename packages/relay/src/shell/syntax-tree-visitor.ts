import { extractSubscriptCode, hasSubscriptCode } from './arithmetic.ts';
import type { CodeContext } from './code-context.ts';
import type { VariableAssignment } from './command.ts';
import type { CommandAnalyzer } from './command-analyzer.ts';
import { createUnknownCommandOutput, joinCommandOutputs } from './command-output.ts';
import { keepsAssignments, parseAssignment } from './environment-effects.ts';
import { readNestedBackticks } from './escapes.ts';
import { expandParameter } from './expand-parameter.ts';
import { forEachLoopValue, listLoopInputs, MAX_LOOP_VALUES } from './for-each-loop-value.ts';
import { NETWORK_COMMAND_INPUT } from './network-command-input.ts';
import { assignVariable, readAssignment } from './read-assignment.ts';
import { joinSegmentTexts, readAssignedValue, readShellWords, type WordReadContext } from './read-word.ts';
import { findNamerefChange } from './record-variable-changes.ts';
import { findHeredocBackticks, readRedirectInput, readRedirectInputs, readRedirects } from './redirects.ts';
import type { SyntaxNode } from './shell-parser.ts';
import type { ShellScope } from './shell-scope.ts';
import type { CommandInput, CommandOutput, ShellWord, TextSpan } from './shell-word.ts';
import { predictSubstitutionOutput } from './substitution-output.ts';
import { isStatementType, mergeAdjacentWords } from './syntax-tree-words.ts';
import type { CodeLocation } from './unresolved-command.ts';

/** Finds every simple command in one syntax tree, at any depth, and passes it to the analyzer. */
export class SyntaxTreeVisitor implements WordReadContext {
  readonly text: string;
  readonly #around: CodeContext;
  readonly #analyzer: CommandAnalyzer;

  constructor(text: string, around: CodeContext, invoker: CommandAnalyzer) {
    this.text = text;
    this.#around = around;
    this.#analyzer = invoker;
  }

  get scope(): ShellScope {
    return this.#around.scope;
  }

  /** Returns the combined output of the commands of a node. Null if it has none. */
  visit(node: SyntaxNode, input: CommandInput | null): CommandOutput | null {
    if (!this.#analyzer.mayVisit(node)) return null;
    switch (node.type) {
      case 'command':
        return this.#command(node, [], input);
      case 'redirected_statement':
        return this.#redirected(node, input);
      case 'pipeline':
        return this.#pipeline(node.children, input);
      case 'variable_assignment':
        this.#assigned(node);
        break;
      case 'for_statement':
        return this.#loop(node, input);
      case 'while_statement':
        return this.#loopOverLines(node, input);
      case 'binary_expression':
      case 'postfix_expression':
      case 'unary_expression':
        this.#calculate(node);
        break;
      case 'function_definition':
        this.#define(node);
        return null;
      case 'command_substitution':
        this.#readsFile(node);
        this.#nestedBackticks(node);
        break;
      case 'expansion':
        this.#prompt(node);
        break;
      case 'declaration_command':
      case 'unset_command':
        this.#subscripts(node);
        this.#declare(node);
        return null;
      case 'process_substitution':
        if (this.text.startsWith('>(', node.start))
          return joinCommandOutputs(this.#visitChildren(node, NETWORK_COMMAND_INPUT));
        break;
      case 'test_command':
        this.#subscripts(node);
        break;
    }
    return joinCommandOutputs(this.#visitChildren(node, input));
  }

  outputOf(node: SyntaxNode): CommandOutput {
    const parts = node.children.filter(({ type }) => /^[a-z]/.test(type));
    const [only] = parts;
    if (!only || parts.length > 1 || !this.#analyzer.mayVisit(node))
      return createUnknownCommandOutput('computed');
    return predictSubstitutionOutput(only, this);
  }

  #visitChildren(node: SyntaxNode, input: CommandInput | null): CommandOutput[] {
    const outputs: CommandOutput[] = [];
    for (const child of node.children) {
      if (child.children.length === 0 && child.type !== 'command') continue;
      const output = this.visit(child, input);
      if (output && isStatementType(child.type)) outputs.push(output);
    }
    return outputs;
  }

  #pipeline(stages: readonly SyntaxNode[], input: CommandInput | null): CommandOutput | null {
    let from = input;
    let printed: CommandOutput | null = null;
    for (const stage of stages) {
      if (!/^[a-z]/.test(stage.type)) continue;
      printed = this.visit(stage, from);
      from = { kind: 'pipe', printed: printed ?? createUnknownCommandOutput('computed') };
    }
    return printed;
  }

  /** A loop whose input is known may read one line of it each time. */
  #loopOverLines(node: SyntaxNode, input: CommandInput | null): CommandOutput | null {
    const inputs = listLoopInputs(input);
    const outputs = inputs.slice(0, MAX_LOOP_VALUES).flatMap((from) => this.#visitChildren(node, from));
    if (inputs.length > MAX_LOOP_VALUES) this.#reportLongLoop(node);
    return inputs.length === 1 ? joinCommandOutputs(outputs) : createUnknownCommandOutput('computed');
  }

  #reportLongLoop(node: SyntaxNode): void {
    this.#analyzer.reportUnclear('it loops over too many values to be analyzed', this.#locate(node));
  }

  #loop(node: SyntaxNode, input: CommandInput | null): CommandOutput | null {
    const variable = node.children.find(({ type }) => type === 'variable_name');
    const values = node.children.filter(({ field }) => field === 'value');
    for (const value of values) if (value.children.length > 0) this.visit(value, null);
    const words = values.flatMap((value) => readShellWords(value, this));
    const name = variable ? this.text.slice(variable.start, variable.end) : '';
    const body = node.children.filter(({ field }) => field === 'body');
    const isWhole = forEachLoopValue(name, words, this.scope, () => {
      for (const part of body) this.visit(part, input);
    });
    if (!isWhole) this.#reportLongLoop(node);
    return createUnknownCommandOutput('computed');
  }

  /**
   * Defines a function. Its body has no effect before a call. A function without a call may be called later.
   */
  #define(node: SyntaxNode): void {
    const name = node.children.find(({ field }) => field === 'name');
    const body = node.children.find(({ field }) => field === 'body');
    if (!name || !body) return;
    this.#analyzer.codeInspector.define(
      this.text.slice(name.start, name.end),
      { body, text: this.text },
      this.#locate(node),
    );
  }

  /** `(( x=1 ))` and `(( x++ ))` change a variable. */
  #calculate({ children }: SyntaxNode): void {
    const name = children.find(({ type }) => type === 'variable_name');
    const isChange = children.some(({ type }) => /^(?:[-+*/%&|^]|<<|>>)?=$|^(?:\+\+|--)$/.test(type));
    if (name && isChange) this.#analyzer.variables.add(this.text.slice(name.start, name.end));
  }

  #assigned(node: SyntaxNode): void {
    const assignment = readAssignment(node, this);
    assignVariable(node, assignment.name, this);
    this.#analyzer.inspectAssignments([assignment], this.#locate(node));
  }

  /** `declare -n name=target` makes the variable another name of its target. */
  #declare(node: SyntaxNode): void {
    const [builtin, ...rest] = node.children;
    const names = rest.filter(({ type }) => /^variable_(?:assignment|name)$/.test(type));
    const args = rest.map((child) =>
      names.includes(child)
        ? this.text.slice(child.start, child.end)
        : joinSegmentTexts(readAssignedValue(child, this)),
    );
    const change = findNamerefChange(builtin?.type ?? '', args);
    const quoted = rest.flatMap((one, at) => (names.includes(one) ? [] : (parseAssignment(args[at]) ?? [])));
    for (const { name, value } of quoted)
      this.scope.assign(name, [[{ text: value, quoted: false, certain: false }]]);
    this.#analyzer.inspectAssignments(quoted, this.#locate(node));
    if (change !== 'start') this.#visitChildren(node, null);
    for (const child of change === null ? [] : names) {
      const isAssignment = child.type === 'variable_assignment';
      if (change === 'start') this.#visitChildren(child, null);
      const { name, value } = isAssignment
        ? readAssignment(child, this)
        : { name: this.text.slice(child.start, child.end), value: null };
      if (change === 'end') this.scope.endReference(name);
      else if (value !== null || !isAssignment) this.scope.refer(name, value);
      else
        this.#analyzer.reportUnclear(
          'the variable that a nameref refers to is not known in advance',
          this.#locate(child),
        );
    }
  }

  /** `$(< file)` reads a file without a command. */
  #readsFile(node: SyntaxNode): void {
    const redirects = node.children.filter(({ type }) => type === 'file_redirect');
    if (redirects.length === 0) return;
    const { redirects: targets } = readRedirects(redirects, this);
    const nothing = { words: [], assignments: [], input: null };
    this.#analyzer.analyze({ ...nothing, redirects: targets, ...this.#locate(node) });
  }

  #nestedBackticks({ start, end }: SyntaxNode): void {
    const text = readNestedBackticks(this.text.slice(start, end));
    if (text !== null)
      this.#analyzer.codeInspector.inspectCode({ text, placing: this.#locate({ start, end }), name: '`' });
  }

  /** `${x@P}` expands the value of a variable again. `${x:=value}` assigns. */
  #prompt(node: SyntaxNode): void {
    const text = this.text.slice(node.start, node.end);
    const [, name] = /^\$\{(\w+):?=/.exec(text) ?? [];
    if (name !== undefined) this.scope.assign(name, [expandParameter(text, this.scope)[0] ?? []]);
    if (!/@P\}$/.test(text)) return;
    const value = joinSegmentTexts(expandParameter(`${text.slice(0, -3)}}`, this.scope)[0] ?? []);
    if (value === null)
      this.#analyzer.reportUnclear('it expands text that is not known in advance', this.#locate(node));
    else this.#analyzer.codeInspector.inspectExpansions(value, this.#locate(node));
  }

  /** Arithmetic and `-v` evaluate subscripts, even if quotes protect them from expansion. */
  #subscripts(node: SyntaxNode): void {
    for (const child of node.children) {
      if (/^raw_string$|^word$|^string$/.test(child.type)) {
        const text = joinSegmentTexts(readAssignedValue(child, this));
        if (text !== null && hasSubscriptCode(text))
          this.#analyzer.codeInspector.inspectExpansions(extractSubscriptCode(text), this.#locate(child));
      } else if (/expression$/.test(child.type)) this.#subscripts(child);
    }
  }

  #redirected(node: SyntaxNode, input: CommandInput | null): CommandOutput | null {
    const body = node.children.find(({ field }) => field === 'body');
    const redirects = node.children.filter(
      ({ field, type }) => field === 'redirect' || type === 'herestring_redirect',
    );
    const inHeredocs = redirects.flatMap(({ type, children }) =>
      type === 'heredoc_redirect' ? children : [],
    );
    const more = [
      ...redirects,
      ...inHeredocs.filter(({ field }) => field === 'redirect' || field === 'argument'),
    ];
    const from = readRedirectInputs(redirects, this) ?? input;
    for (const part of [...redirects, ...inHeredocs])
      if (!isStatementType(part.type) && part.type !== 'heredoc_redirect') this.#visitChildren(part, null);
    for (const command of findHeredocBackticks(redirects, this.text))
      this.#analyzer.codeInspector.inspectExpansions(command, this.#locate(node));
    let printed: CommandOutput | null = null;
    if (body?.type === 'command') printed = this.#command(body, more, from);
    else {
      // Words after the target of a redirect belong to a command that the grammar did not recognize.
      const { redirects: targets, words } = readRedirects(more, this);
      const placing = this.#locate(node);
      this.#analyzer.analyze({ words, assignments: [], redirects: targets, input: from, ...placing });
      if (body) printed = this.visit(body, from);
      this.#analyzer.recordWrites(targets, printed, this.scope);
    }
    // `cat <<E | sh`, `cat <<E > f && sh f`: the rest of the line is inside the redirect node.
    for (const part of inHeredocs)
      if (isStatementType(part.type)) {
        const piped = part.type === 'pipeline' ? (printed ?? createUnknownCommandOutput('computed')) : null;
        printed = this.visit(part, piped ? { kind: 'pipe', printed: piped } : input);
      }
    return printed;
  }

  #command(node: SyntaxNode, more: readonly SyntaxNode[], input: CommandInput | null): CommandOutput | null {
    const words = mergeAdjacentWords(node.children, this.text).flatMap((word) => readShellWords(word, this));
    const assignments: VariableAssignment[] = [];
    let from = input;
    for (const child of node.children) {
      if (child.type === 'variable_assignment') assignments.push(readAssignment(child, this));
      from = readRedirectInput(child, this) ?? from;
    }
    const own = node.children.filter(({ type }) => type === 'file_redirect');
    const { redirects, words: further } = readRedirects([...own, ...more], this);
    // The assignments before a command apply only to this command.
    const restore = words.length > 0 ? assignments.map(({ name }) => this.scope.save(name)) : [];
    // Words contain substitutions, whose commands run first.
    this.#visitChildren(node, null);
    const all: readonly ShellWord[] = [...words, ...further];
    const place = this.#locate(node);
    const printed = this.#analyzer.analyze({ words: all, assignments, redirects, input: from, ...place });
    this.#analyzer.recordWrites(redirects, printed, this.scope);
    for (const one of restore) one();
    if (keepsAssignments(words[0]?.text ?? ''))
      for (const { name } of assignments) this.scope.markUnknown(name, 'computed');
    return printed;
  }

  #locate({ start, end }: TextSpan): CodeLocation {
    return { ...(this.#around.place ?? { start, end }), context: this.#around };
  }
}
