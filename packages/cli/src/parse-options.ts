import { type ParseArgsConfig, parseArgs } from 'node:util';
import { findNearestWord } from '@floe/contract/config/nearest-word';
import { UsageError } from './usage-error.ts';

/**
 * Parses command-line options with `parseArgs` of Node.js.
 * @throws UsageError with a readable message if an option is not valid
 */
export function parseCliOptions<const Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    const isParseError =
      error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    throw isParseError ? new UsageError(describeParseError(error.message, config)) : error;
  }
}

function describeParseError(message: string, { options = {}, allowNegative }: ParseArgsConfig): string {
  const word = /'(?:-\w, )?([^' <=]+)/.exec(message)?.[1] ?? '';
  if (message.startsWith('Unknown option')) {
    const known = Object.keys(options).map((name) => `--${name}`);
    const nearest = findNearestWord(word, known);
    return `Unknown option ${word}. ${nearest === undefined ? 'Use --help to list the options.' : `Did you mean ${nearest}?`}`;
  }
  if (message.includes('does not take an argument')) {
    const negative = allowNegative ? ` Use ${word} or ${word.replace('--', '--no-')}.` : '';
    return `${word} takes no value.${negative}`;
  }
  if (message.includes('argument missing') || message.includes('ambiguous'))
    return `${word} requires a value. If the value starts with "-", write ${word}=<value>.`;
  if (message.startsWith('Unexpected argument')) return `Unexpected argument "${word}".`;
  return message.split('\n')[0] ?? message;
}
