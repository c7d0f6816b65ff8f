const MESSAGES: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'malformed alias (*name); put a value that starts with * in quotes',
  BAD_COLLECTION_TYPE: 'the tag of a value does not match its type; remove the tag',
  BAD_DQ_ESCAPE: 'unknown escape in double quotes; use single quotes or write \\\\ for a backslash',
  BAD_INDENT: 'the indentation does not line up with the lines above',
  BAD_SCALAR_START: 'a value starts with a reserved character; put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value contains ": "; put the value in quotes',
  BLOCK_IN_FLOW: 'an indented block is not allowed inside { } or [ ]',
  DUPLICATE_KEY: 'this key occurs more than once in the same map; remove the duplicate',
  MISSING_CHAR: 'a closing quote, a closing bracket or a comma is missing',
  MULTILINE_IMPLICIT_KEY: 'a key spans several lines; check for a missing ":" or quote above',
  MULTIPLE_DOCS: 'only one document is allowed; remove the line with ---',
  NON_STRING_KEY: 'each key must be plain text',
  RESOURCE_EXHAUSTION: 'the YAML is nested too deeply; use fewer levels of nesting',
  TAB_AS_INDENT: 'a tab is used as indentation; use spaces',
  TAG_RESOLVE_FAILED: 'tags (!name) are not supported; put a value that starts with ! in quotes',
  UNEXPECTED_TOKEN: 'unexpected content; check the quotes, brackets and indentation before this position',
};

/**
 * Returns what is wrong at a position of a YAML document, for an error code of the package `yaml`. The
 * messages of the package itself quote the document, which may contain secrets.
 */
export function getYamlErrorMessage(code: string): string {
  return MESSAGES[code] ?? `the text is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
}
