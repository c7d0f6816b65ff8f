import { isSubscriptCode, subscriptCode } from './arithmetic.ts';
import type { Assignment } from './command.ts';
import { expand } from './expansion.ts';
import type { Invoker } from './invoke.ts';
import type { Placing } from './invoked.ts';
import { eachValue } from './loops.ts';
import { joinedOutput, unknownText } from './output.ts';
import { readValue, readWords, textOf, type WordSource } from './read-word.ts';
import { backticks, hereText, type Input, inputOf, readRedirects } from './redirects.ts';
import type { Scope, Value } from './scope.ts';
import type { Surroundings } from './surroundings.ts';
import type { Node } from './tree.ts';
import { isStatement, wholeWords, withoutStart } from './tree-words.ts';
import type { Place, Printed, Word } from './word.ts';

/** Finds every simple command of one tree, however deep it stands, and hands it on to be judged. */
export class Collector implements WordSource {
  readonly text: string;
  readonly #around: Surroundings;
  readonly #invoker: Invoker;

  constructor(text: string, around: Surroundings, invoker: Invoker) {
    this.text = text;
    this.#around = around;
    this.#invoker = invoker;
  }

  get scope(): Scope {
    return this.#around.scope;
  }

  /** Returns what the commands of the node print together; null when they are none. */
  visit(node: Node, input: Input | null): Printed | null {
    if (!this.#invoker.mayVisit(node)) return null;
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
      case 'function_definition':
        this.#define(node);
        return null;
      case 'command_substitution':
        this.#readsFile(node);
        break;
      case 'expansion':
        this.#prompt(node);
        break;
      case 'test_command':
      case 'declaration_command':
      case 'unset_command':
        this.#subscripts(node);
        break;
    }
    return joinedOutput(this.#each(node, input));
  }

  outputOf(node: Node): Printed {
    const parts = node.children.filter(({ type }) => /^[a-z]/.test(type));
    const [only] = parts;
    if (!only || parts.length > 1 || !this.#invoker.mayVisit(node)) return unknownText('made');
    return this.#quietly(only);
  }

  /** The value of a substitution, whose commands are collected where the walk comes to them. */
  #quietly(node: Node): Printed {
    if (node.type === 'file_redirect') return unknownText('data');
    if (node.type === 'pipeline') {
      let printed: Printed | null = null;
      for (const stage of node.children)
        if (/^[a-z]/.test(stage.type)) printed = this.#printedBy(stage, printed);
      return printed ?? unknownText('made');
    }
    return this.#printedBy(node, null);
  }

  #printedBy(node: Node, input: Printed | null): Printed {
    const body =
      node.type === 'redirected_statement' ? node.children.find(({ field }) => field === 'body') : node;
    if (body?.type !== 'command') return unknownText('made');
    const words = wholeWords(body.children, this.text).flatMap((word) => readWords(word, this));
    const redirect = node.children.find(({ type }) => /^here(?:string|doc)_redirect$/.test(type));
    const here = redirect?.type === 'herestring_redirect' ? hereText(redirect, this) : null;
    const heredoc = redirect?.type === 'heredoc_redirect' ? inputOf(redirect, this)?.printed : null;
    return this.#invoker.printed(words, here ?? heredoc ?? input);
  }

  #each(node: Node, input: Input | null): Printed[] {
    const outputs: Printed[] = [];
    for (const child of node.children) {
      if (child.children.length === 0 && child.type !== 'command') continue;
      const output = this.visit(child, input);
      if (output && isStatement(child.type)) outputs.push(output);
    }
    return outputs;
  }

  #pipeline(stages: readonly Node[], input: Input | null): Printed | null {
    let from = input;
    let printed: Printed | null = null;
    for (const stage of stages) {
      if (!/^[a-z]/.test(stage.type)) continue;
      printed = this.visit(stage, from);
      from = { kind: 'pipe', printed: printed ?? unknownText('made') };
    }
    return printed;
  }

  #loop(node: Node, input: Input | null): Printed | null {
    const variable = node.children.find(({ type }) => type === 'variable_name');
    const values = node.children.filter(({ field }) => field === 'value');
    for (const value of values) if (value.children.length > 0) this.visit(value, null);
    const words = values.flatMap((value) => readWords(value, this));
    const name = variable ? this.text.slice(variable.start, variable.end) : '';
    const body = node.children.filter(({ field }) => field === 'body');
    const isWhole = eachValue(name, words, this.scope, () => {
      for (const part of body) this.visit(part, input);
    });
    if (!isWhole) this.#invoker.doubt('it loops over more values than are looked at', this.#placing(node));
    return unknownText('made');
  }

  /** A function does nothing before it is called; one that this text does not call may be called later. */
  #define(node: Node): void {
    const name = node.children.find(({ field }) => field === 'name');
    const body = node.children.find(({ field }) => field === 'body');
    if (!name || !body) return;
    this.#invoker.code.define(
      this.text.slice(name.start, name.end),
      { body, text: this.text },
      this.#placing(node),
    );
  }

  #assigned(node: Node): void {
    const [name, operator, value] = node.children;
    const assignment = this.#assignment(node);
    const scalar = name?.type === 'variable_name' ? assignment.name : assignment.name.replace(/\[.*$/s, '');
    if (value?.type === 'array') this.scope.assign(scalar, this.#elements(value));
    else if (operator?.type === '=') this.scope.assign(scalar, [readValue(value, this)]);
    else this.scope.assign(scalar, [[...(this.scope.value(scalar)?.[0] ?? []), ...readValue(value, this)]]);
    this.#invoker.declare([assignment], this.#placing(node));
  }

  #elements({ children }: Node): Value {
    const words = children.filter(({ type }) => /^[a-z]/.test(type));
    return words.flatMap((word): Value => {
      const [, index] = /^(\[[^\]]*\]=)/.exec(this.text.slice(word.start, word.end)) ?? [];
      if (index !== undefined) return [withoutStart(readValue(word, this), index.length)];
      return readWords(word, this).map((one) => [
        { text: one.text, quoted: true, certain: true, ...(one.glob && { names: true }) },
      ]);
    });
  }

  #assignment({ children }: Node): Assignment {
    const [name, operator, value] = children;
    const isPlain = name?.type === 'variable_name' && operator?.type === '=';
    return {
      name: name ? this.text.slice(name.start, name.end) : '',
      value: isPlain && value?.type !== 'array' ? textOf(readValue(value, this)) : null,
    };
  }

  /** `$(< file)` reads a file without a command. */
  #readsFile(node: Node): void {
    const redirects = node.children.filter(({ type }) => type === 'file_redirect');
    if (redirects.length === 0) return;
    const { redirects: targets } = readRedirects(redirects, this);
    this.#invoker.invoke({
      words: [],
      assignments: [],
      redirects: targets,
      input: null,
      ...this.#placing(node),
    });
  }

  /** `${x@P}` expands what is in a variable once more; `${x:=value}` assigns. */
  #prompt(node: Node): void {
    const text = this.text.slice(node.start, node.end);
    const [, name] = /^\$\{(\w+):?=/.exec(text) ?? [];
    if (name !== undefined) this.scope.assign(name, [expand(text, this.scope)[0] ?? []]);
    if (!/@P\}$/.test(text)) return;
    const value = textOf(expand(`${text.slice(0, -3)}}`, this.scope)[0] ?? []);
    if (value === null)
      this.#invoker.doubt('it expands a text that is not known before', this.#placing(node));
    else this.#invoker.code.expands(value, this.#placing(node));
  }

  /** Arithmetic and `-v` run what stands in a subscript, also between quotes that keep the shell from it. */
  #subscripts(node: Node): void {
    for (const child of node.children) {
      if (/^raw_string$|^word$|^string$/.test(child.type)) {
        const text = textOf(readValue(child, this));
        if (text !== null && isSubscriptCode(text))
          this.#invoker.code.expands(subscriptCode(text), this.#placing(child));
      } else if (/expression$/.test(child.type)) this.#subscripts(child);
    }
  }

  #redirected(node: Node, input: Input | null): Printed | null {
    const body = node.children.find(({ field }) => field === 'body');
    const redirects = node.children.filter(({ field }) => field === 'redirect');
    const inHeredocs = redirects.flatMap(({ type, children }) =>
      type === 'heredoc_redirect' ? children : [],
    );
    const more = [
      ...redirects,
      ...inHeredocs.filter(({ field }) => field === 'redirect' || field === 'argument'),
    ];
    const here = redirects.map((redirect) => inputOf(redirect, this)).find((found) => found !== null);
    const from = here ?? input;
    for (const part of [...redirects, ...inHeredocs])
      if (!isStatement(part.type) && part.type !== 'heredoc_redirect') this.#each(part, null);
    for (const command of backticks(redirects, this.text))
      this.#invoker.code.expands(command, this.#placing(node));
    let printed: Printed | null = null;
    if (body?.type === 'command') printed = this.#command(body, more, from);
    else {
      // Words after the target of a redirect belong to a command that the grammar did not see.
      const { redirects: targets, words } = readRedirects(more, this);
      const placing = this.#placing(node);
      this.#invoker.invoke({ words, assignments: [], redirects: targets, input: from, ...placing });
      if (body) printed = this.visit(body, from);
      this.#invoker.writes(targets, printed, this.scope);
    }
    // `cat <<E | sh`, `cat <<E > f && sh f`: what follows on the line stands within the redirect.
    for (const part of inHeredocs)
      if (isStatement(part.type)) {
        const piped = part.type === 'pipeline' ? (printed ?? unknownText('made')) : null;
        printed = this.visit(part, piped ? { kind: 'pipe', printed: piped } : input);
      }
    return printed;
  }

  #command(node: Node, more: readonly Node[], input: Input | null): Printed | null {
    const words = wholeWords(node.children, this.text).flatMap((word) => readWords(word, this));
    const assignments: Assignment[] = [];
    let from = input;
    for (const child of node.children) {
      if (child.type === 'variable_assignment') assignments.push(this.#assignment(child));
      from = inputOf(child, this) ?? from;
    }
    const own = node.children.filter(({ type }) => type === 'file_redirect');
    const { redirects, words: further } = readRedirects([...own, ...more], this);
    // Within words stand substitutions, whose commands run first.
    this.#each(node, null);
    const all: readonly Word[] = [...words, ...further];
    const place = this.#placing(node);
    const printed = this.#invoker.invoke({ words: all, assignments, redirects, input: from, ...place });
    this.#invoker.writes(redirects, printed, this.scope);
    return printed;
  }

  #placing({ start, end }: Place): Placing {
    return { ...(this.#around.place ?? { start, end }), around: this.#around };
  }
}
