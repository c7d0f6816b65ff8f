import { Buffer, isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { decodeUtf8Range } from './json-bytes.ts';
import { describeMaxComplexity, JsonComplexityError } from './json-complexity.ts';
import { JsonSyntaxError } from './json-syntax-error.ts';

/** @throws Fault `invalid_json` if the body is empty, is not UTF-8 or starts with a byte order mark */
export function rejectEncoding(body: Uint8Array): void {
  if (body.length === 0)
    throw new Fault('invalid_json', 'The request body is empty; it must be a JSON object.');
  if (!isUtf8(body)) throw invalidJsonFault(body, 'it is not valid UTF-8', firstInvalidByte(body));
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
    throw invalidJsonFault(body, 'it starts with a byte order mark', 0);
}

/** Returns the fault for an error during a scan, or the error itself if the body did not cause it. */
export function toScanFault(error: unknown, body: Uint8Array, maxComplexity: number | null): unknown {
  if (error instanceof JsonSyntaxError) return invalidJsonFault(body, error.message, error.offset);
  if (error instanceof JsonComplexityError)
    return new Fault(
      'request_too_large',
      `The request body has too many JSON values. The maximum is ${describeMaxComplexity(maxComplexity ?? 0)}. Remove values, or split the request.`,
    );
  return error;
}

/** Returns the fault for a top-level member whose name is not permitted. */
export function rejectedKeyFault(key: string, why: string): Fault {
  return new Fault('invalid_request', `The top-level field "${key.slice(0, 64)}" ${why}.`, {
    param: key.slice(0, 64),
  });
}

function invalidJsonFault(body: Uint8Array, problem: string, offset: number): Fault {
  let line = 1;
  let lineStart = 0;
  for (let next = body.indexOf(0x0a); next !== -1 && next < offset; next = body.indexOf(0x0a, lineStart)) {
    line += 1;
    lineStart = next + 1;
  }
  const column = decodeUtf8Range(body, lineStart, offset).length + 1;
  return new Fault(
    'invalid_json',
    `The request body is not valid JSON: ${problem} (byte ${offset}, line ${line}, column ${column}).`,
  );
}

/** Re-encoding replaces invalid bytes, so the first difference is the first invalid byte. */
function firstInvalidByte(body: Uint8Array): number {
  const repaired = Buffer.from(decodeUtf8Range(body, 0, body.length));
  let at = 0;
  while (at < body.length && body[at] === repaired[at]) at += 1;
  return at;
}
