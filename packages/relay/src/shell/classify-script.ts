const SHELL_INTERPRETERS = /^(?:sh|bash|zsh|dash|ash|ksh|mksh|source|\.|rbash|yash|posh|fish)$/;

/** Returns the text of a script, and whether it is in a language other than shell. */
export function classifyScript(
  text: string,
  interpreter: string,
): { readonly text: string; readonly isForeign: boolean } {
  const [, shebang] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(text) ?? [];
  const named =
    SHELL_INTERPRETERS.test(interpreter) && interpreter !== 'sh' ? interpreter : (shebang ?? interpreter);
  const program = named.slice(named.lastIndexOf('/') + 1);
  return { text, isForeign: !SHELL_INTERPRETERS.test(program) };
}
