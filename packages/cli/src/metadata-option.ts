import { UsageError } from './usage-error.ts';

/**
 * Parses `key=value` pairs from repeated `--metadata` options. All values are strings.
 * @throws UsageError for an option without `=`
 */
export function parseMetadataOptions(options: readonly string[] = []): Record<string, string> {
  const entries = options.map((option): [string, string] => {
    const at = option.indexOf('=');
    if (at < 1) throw new UsageError(`--metadata ${option}: must have the form key=value.`);
    return [option.slice(0, at), option.slice(at + 1)];
  });
  return Object.fromEntries(entries);
}
