import { ConfigDraft } from './config-draft.ts';
import { ImportReport } from './import-report.ts';
import { ImportSourceError } from './import-source.ts';
import {
  describeType,
  type ImportContext,
  ImportSourceObject,
  isPlainObject,
} from './import-source-object.ts';
import { type RequiredEnvironmentVariable, SecretVariables } from './secret-variables.ts';
import { addZeroPrices } from './zero-prices.ts';

/** The result of an import: the new configuration, the report, and the variables that replace secrets. */
export interface ImportResult {
  readonly draft: ConfigDraft;
  readonly report: ImportReport;
  readonly secrets: SecretVariables;
}

/**
 * Converts a parsed source with `convert` and returns the result.
 * @throws ImportSourceError with all problems in the source
 */
export function runImport(
  source: unknown,
  variablePattern: RegExp,
  convert: (root: ImportSourceObject, draft: ConfigDraft) => void,
): ImportResult {
  if (!isPlainObject(source))
    throw new ImportSourceError(
      `The file must contain a map of keys and values, but contains ${describeType(source)}.`,
    );
  const context: ImportContext = {
    report: new ImportReport(),
    secrets: new SecretVariables(),
    problems: [],
    variablePattern,
  };
  const draft = new ConfigDraft();
  convert(new ImportSourceObject(source, '', 'other', context), draft);
  addZeroPrices(draft, context);
  if (context.problems.length > 0) throw new ImportSourceError([...new Set(context.problems)].join('\n'));
  return { draft, report: context.report, secrets: context.secrets };
}

/** Formats the end of the report: the list of environment variables that the user must set. */
export function formatRequiredEnvironmentVariables(
  variables: readonly RequiredEnvironmentVariable[],
): string {
  if (variables.length === 0) return '';
  const lines = variables.map(({ name, fields, isLiteral }) => {
    const [first = '', ...more] = fields;
    const others = more.length > 0 ? ` and ${more.length} more` : '';
    const literals = isLiteral ? ', whose value --secrets-file writes to a file' : '';
    return `  ${name}: ${first}${others}${literals}`;
  });
  return `\nSet these variables in the environment of the Floe server:\n${lines.join('\n')}\n`;
}
