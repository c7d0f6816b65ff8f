import type { Assignment, Redirect } from './command.ts';
import type { Input, Invoker, Placing } from './invoke.ts';
import { readValue, readWords, type WordSource } from './read-word.ts';
import { Scope } from './scope.ts';
import type { Node } from './tree.ts';
import type { Place, Word } from './word.ts';

/** Where a text stands that is read: names of the commands around it, and what they read. */
export interface Surroundings {
  readonly via: readonly string[];
  readonly input: Input | null;
  /** Where it stands in the outermost text; null for that itself. */
  readonly place: Place | null;
  readonly depth: number;
}

/** Finds every simple command of one tree, however deep it stands, and hands it on to be judged. */
export class Collector implements WordSource {
  readonly text: string;
  readonly scope = new Scope();
  readonly #around: Surroundings;
  readonly #invoker: Invoker;

  constructor(text: string, around: Surroundings, invoker: Invoker) {
    this.text = text;
    this.#around = around;
    this.#invoker = invoker;
  }

  /** Returns what the commands of the node print together, when that is a constant. */
  visit(node: Node, input: Input | null): string | null {
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
        for (const { type, start, end } of node.children)
          if (type === 'variable_name') this.scope.assign(this.text.slice(start, end), null);
        break;
      case 'function_definition':
        // Its body reads what its callers give it.
        this.#each(node, { text: null, kind: 'pipe' });
        return null;
    }
    const outputs = this.#each(node, input);
    return outputs.length === 1 ? (outputs[0] ?? null) : null;
  }

  outputOf(node: Node): string | null {
    const parts = node.children.filter(({ type }) => /^[a-z]/.test(type));
    const [only] = parts;
    if (!only || parts.length > 1) return null;
    return this.#quietly(only);
  }

  /** The value of a substitution, whose commands are collected where the walk comes to them. */
  #quietly(node: Node): string | null {
    if (node.type === 'pipeline') {
      let printed: string | null = null;
      for (const stage of node.children)
        if (/^[a-z]/.test(stage.type)) printed = this.#printedBy(stage, printed);
      return printed;
    }
    return this.#printedBy(node, null);
  }

  #printedBy(node: Node, input: string | null): string | null {
    if (node.type !== 'command') return null;
    const words = wholeWords(node.children, this.text).flatMap((word) => readWords(word, this));
    const here = node.children.find(({ type }) => type === 'herestring_redirect');
    return this.#invoker.printed(words, here ? this.#hereText(here) : input);
  }

  #each(node: Node, input: Input | null): (string | null)[] {
    const outputs: (string | null)[] = [];
    for (const child of node.children) {
      if (child.children.length === 0 && child.type !== 'command') continue;
      const output = this.visit(child, input);
      if (isStatement(child.type)) outputs.push(output);
    }
    return outputs;
  }

  #pipeline(stages: readonly Node[], input: Input | null): string | null {
    let from = input;
    let printed: string | null = null;
    for (const stage of stages) {
      if (!/^[a-z]/.test(stage.type)) continue;
      printed = this.visit(stage, from);
      from = { kind: 'pipe', text: printed };
    }
    return printed;
  }

  #assigned(node: Node): void {
    const assignment = this.#assignment(node);
    this.scope.assign(assignment.name, assignment.value);
    this.#invoker.declare([assignment], this.#placing(node));
  }

  #assignment({ children }: Node): Assignment {
    const [name, operator, value] = children;
    const isPlain = name?.type === 'variable_name' && operator?.type === '=';
    return {
      name: name ? this.text.slice(name.start, name.end) : '',
      value: isPlain && value?.type !== 'array' ? readValue(value, this) : null,
    };
  }

  #redirected(node: Node, input: Input | null): string | null {
    const body = node.children.find(({ field }) => field === 'body');
    const redirects = node.children.filter(({ field }) => field === 'redirect');
    const inHeredocs = redirects.flatMap(({ type, children }) =>
      type === 'heredoc_redirect' ? children : [],
    );
    const more = [
      ...redirects,
      ...inHeredocs.filter(({ field }) => field === 'redirect' || field === 'argument'),
    ];
    const here = redirects.map((redirect) => this.#inputOf(redirect)).find((found) => found !== null);
    const from = here ?? input;
    for (const part of [...redirects, ...inHeredocs])
      if (!isStatement(part.type) && part.type !== 'heredoc_redirect') this.#each(part, null);
    let printed: string | null = null;
    if (body?.type === 'command') printed = this.#command(body, more, from);
    else {
      // Words after the target of a redirect belong to a command that the grammar did not see.
      const { redirects: targets, words } = this.#redirects(more);
      this.#invoker.invoke({
        words,
        assignments: [],
        redirects: targets,
        input: from,
        ...this.#placing(node),
      });
      if (body) printed = this.visit(body, from);
    }
    // `cat <<E | sh`: what follows on the line stands within the redirect.
    for (const part of inHeredocs)
      if (isStatement(part.type))
        printed = this.visit(part, part.type === 'pipeline' ? { kind: 'pipe', text: printed } : input);
    return printed;
  }

  #command(node: Node, more: readonly Node[], input: Input | null): string | null {
    const words = wholeWords(node.children, this.text).flatMap((word) => readWords(word, this));
    const assignments: Assignment[] = [];
    let from = input;
    for (const child of node.children) {
      if (child.type === 'variable_assignment') assignments.push(this.#assignment(child));
      from = this.#inputOf(child) ?? from;
    }
    const own = node.children.filter(({ type }) => type === 'file_redirect');
    const { redirects, words: further } = this.#redirects([...own, ...more]);
    if (/^(?:read|mapfile|readarray|getopts)$/.test(words[0]?.text ?? ''))
      for (const { text } of words) if (text !== null) this.scope.assign(text, null);
    // Within words stand substitutions, whose commands run first.
    this.#each(node, null);
    const place = this.#placing(node);
    return this.#invoker.invoke({
      words: [...words, ...further],
      assignments,
      redirects,
      input: from,
      ...place,
    });
  }

  /** Targets, and the words that the grammar took for further targets. */
  #redirects(nodes: readonly Node[]): { readonly redirects: Redirect[]; readonly words: Word[] } {
    const redirects: Redirect[] = [];
    const words: Word[] = [];
    for (const node of nodes) {
      if (node.field === 'argument') words.push(...readWords(node, this));
      if (node.type !== 'file_redirect') continue;
      const operator = node.children.find(({ type }) => /^[<>&|]+$/.test(type))?.type ?? '>';
      const [target, ...rest] = node.children.filter(({ field }) => field === 'destination');
      const [word] = target ? readWords(target, this) : [];
      if (word) redirects.push({ operator, target: word });
      for (const destination of rest) words.push(...readWords(destination, this));
    }
    return { redirects, words };
  }

  /** What a redirect gives to read; null when it gives nothing. */
  #inputOf(node: Node): Input | null {
    if (node.type === 'herestring_redirect') return { kind: 'text', text: this.#hereText(node) };
    if (node.type === 'heredoc_redirect') return { kind: 'text', text: this.#heredoc(node) };
    if (node.type !== 'file_redirect') return null;
    if (!node.children.some(({ type }) => type === '<')) return null;
    const target = node.children.find(({ field }) => field === 'destination');
    return { kind: target?.type === 'process_substitution' ? 'pipe' : 'file', text: null };
  }

  #hereText({ children }: Node): string | null {
    return readValue(children.at(-1), this);
  }

  #heredoc({ children }: Node): string | null {
    const start = children.find(({ type }) => type === 'heredoc_start');
    const body = children.find(({ type }) => type === 'heredoc_body');
    if (!start || !body) return null;
    const raw = this.text.slice(body.start, body.end);
    const isQuoted = /['"\\]/.test(this.text.slice(start.start, start.end));
    const text = children[0]?.type === '<<-' ? raw.replaceAll(/^\t+/gm, '') : raw;
    if (isQuoted) return text;
    return body.children.some(({ type }) => /expansion|substitution/.test(type)) ? null : text;
  }

  #placing({ start, end }: Place): Placing {
    return { ...(this.#around.place ?? { start, end }), around: this.#around };
  }
}

function isWord({ field, type }: Node): boolean {
  return field === 'argument' || type === 'command_name';
}

/** A backslash before a line break is nothing; the grammar takes it for a blank. */
const CONTINUED = /^(?:\\\n)*$/;

/** Words of a command; what no blank parts is one word for the shell, if not for the grammar: `a$b-c$d`. */
function wholeWords(nodes: readonly Node[], text: string): Node[] {
  const words: Node[] = [];
  for (const node of nodes) {
    if (!isWord(node)) continue;
    const before = words.at(-1);
    if (before === undefined || !CONTINUED.test(text.slice(before.end, node.start))) words.push(node);
    else
      words.splice(-1, 1, {
        ...before,
        type: 'concatenation',
        end: node.end,
        children: [...partsOf(before), ...partsOf(node)],
      });
  }
  return words;
}

/** What is more than text in a word. */
function partsOf(node: Node): readonly Node[] {
  if (node.type === 'command_name' || node.type === 'concatenation') return node.children.flatMap(partsOf);
  return node.type === 'word' || node.type === 'number' || !/^[a-z]/.test(node.type) ? [] : [node];
}

function isStatement(type: string): boolean {
  return /^(?:command|pipeline|list|redirected_statement|subshell|compound_statement|negated_command|declaration_command|test_command|(?:if|for|while|case|c_style_for)_statement|function_definition)$/.test(
    type,
  );
}
