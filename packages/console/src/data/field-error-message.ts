import { capitalize } from '../format/words.ts';
import { ApiError } from './api-error.ts';

/** Returns the message to show next to the field with an error: a sentence without the name of the field. */
export function getFieldErrorMessage(error: Error): string {
  const start = error instanceof ApiError && error.param !== null ? `${error.param}: ` : '';
  if (start === '' || !error.message.startsWith(start)) return error.message;
  const rest = error.message.slice(start.length);
  return `${capitalize(rest)}${/[.!?]$/.test(rest) ? '' : '.'}`;
}
