import * as z from 'zod';
import { MAX_LIST_ENTRIES } from './max-resources-per-org.ts';

/**
 * Creates the schema of an id in lowercase. The error messages of all fields in this file complete
 * the sentence "<field>: …".
 */
export function createSlugField() {
  return z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,63}$/,
      'must start with a lowercase letter or a digit, contain only lowercase letters, digits, ".", "_" and "-", and have at most 64 characters',
    );
}

/** Creates the schema of a string of 1 to 200 characters. */
export function createShortTextField() {
  return z.string().min(1).max(200);
}

/** Creates the schema of a list of up to 50 strings of 1 to 200 characters, such as names or filters. */
export function createShortTextListField() {
  return z.array(createShortTextField()).max(50);
}

/** Creates the schema of a list of patterns for the models that a key may use. */
export function createModelPatternListField() {
  return z.array(createModelPatternField()).min(1).max(200);
}

/** Creates the schema of a list of recipients' email addresses. */
export function createEmailAddressListField() {
  return z.array(z.email('must be an email address')).min(1).max(50);
}

/**
 * Creates the schema of a secret value, which must never be shown. JSON Schema's `writeOnly` marks it
 * for forms and documents.
 */
export function createSecretField() {
  return createSecretTextField(
    /^[\t\x20-\x7e\x80-\uffff]*$/,
    'must not contain line breaks or control characters',
  );
}

/** Creates the schema of a secret value that Floe sends unchanged in a header. */
export function createHeaderSecretField() {
  return createSecretTextField(HEADER_VALUE, HEADER_VALUE_MESSAGE);
}

function createSecretTextField(allowed: RegExp, message: string) {
  return z.string().min(1).max(8_192).regex(allowed, message).meta({ writeOnly: true });
}

/** Characters that a header value may contain (RFC 9110, section 5.5). */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const HEADER_VALUE_MESSAGE = 'must not contain line breaks, control characters or characters above U+00FF';

/** Headers that belong to the connection or the message. Floe writes them for each request. */
const RESERVED_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-connection',
  'proxy-authorization',
]);

/** Adds a maximum number of entries to the schema of a map. */
export function limitMapEntries<Map extends z.ZodRecord>(map: Map, maximum: number): Map {
  return map.refine(
    (entries) => Object.keys(Object(entries)).length <= maximum,
    `must have at most ${maximum} entries`,
  );
}

/** Creates the schema of additional request headers, by name. */
export function createExtraHeadersField() {
  const headers = z.record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a valid HTTP header name, such as x-team')
      .refine(
        (name) => !RESERVED_HEADERS.has(name.toLowerCase()),
        'cannot be configured because Floe sets this header for each request',
      ),
    z.string().regex(HEADER_VALUE, HEADER_VALUE_MESSAGE),
  );
  return limitMapEntries(headers, MAX_LIST_ENTRIES.providerHeaders);
}

/** Creates the schema of a model id pattern. `*` matches any characters, including `/`. */
export function createModelPatternField() {
  return z.string().min(1).max(300);
}

/** Creates the schema of a positive integer. */
export function createPositiveCountField() {
  return z.int().min(1);
}

/** Creates the schema of a port number. */
export function createPortField() {
  return z.int().min(1).max(65_535);
}

/** Creates the schema of a duration in minutes. Fractions are allowed. The maximum is 366 days. */
export function createMinutesField(minimum: number) {
  return z.number().min(minimum).max(527_040);
}

/** Creates the schema of a timestamp in ISO 8601 with a UTC offset: `2027-01-01T00:00:00Z`. */
export function createTimestampField() {
  return z.iso.datetime({ offset: true, error: 'must be a timestamp such as 2027-01-01T00:00:00Z' });
}

/** Creates the schema of an IANA time zone. */
export function createTimezoneField() {
  return z.string().max(64).refine(isTimezone, 'must be an IANA time zone such as Europe/Berlin');
}

/**
 * Creates the schema of an http(s) URL that paths are appended to. It has no trailing slash, query,
 * fragment or user name.
 */
export function createBaseUrlField() {
  return z
    .string()
    .max(2_000)
    .refine(
      isBaseUrl,
      'must be an http:// or https:// URL without a trailing slash, query, fragment, user name or password',
    )
    .meta({ pattern: '^https?://[^?#]*[^/?#]$' });
}

/**
 * Creates the schema of an http(s) URL that is used unchanged. User names are rejected, because
 * they would have no effect.
 */
export function createWebUrlField() {
  return z
    .string()
    .max(2_000)
    .refine(isWebUrl, 'must be an http:// or https:// URL without a user name or password')
    .meta({ pattern: '^https?://' });
}

/** Creates the schema of a string that is empty (disabled) or a URL with one of `schemes`. */
export function createOptionalUrlField(schemes: readonly string[]) {
  return z
    .string()
    .refine(
      (text) =>
        text === '' || (schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text)),
      `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}, or "" for none`,
    )
    .meta({ pattern: `^$|^(${schemes.join('|')})://` });
}

/** Creates the schema of an IP address, or a network in CIDR notation. */
export function createNetworkField() {
  return z.union(
    [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
    'must be an IP address or a network such as 10.0.0.0/8',
  );
}

/** Creates the schema of one string or a list of strings. The parsed value is always a list. */
export function createStringListField() {
  return z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .transform((value) => (typeof value === 'string' ? [value] : value));
}

/** The raw fields of an object. Each may be absent or have any type. */
export type RawObjectFields = Readonly<Record<string, unknown>>;

/** Reports a problem at a path within the object. The message completes the sentence "<path>: …". */
export type IssueReporter = (path: readonly (string | number)[], message: string) => void;

/**
 * Creates a check for a rule about several fields of one object. The check also runs if a field is invalid, so
 * that all problems are reported together. The rule therefore receives raw values of the type `unknown`.
 */
export function createCrossFieldCheck(rule: (fields: RawObjectFields, report: IssueReporter) => void) {
  return z.superRefine<unknown>(
    (value, context) => {
      if (isRecord(value))
        rule(value, (path, message) => context.addIssue({ code: 'custom', path: [...path], message }));
    },
    { when: ({ value }) => isRecord(value) },
  );
}

function isRecord(value: unknown): value is RawObjectFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Creating a format takes 50 µs. There are about 600 zones, and any number of invalid names. */
const knownTimezones = new Set<string>();

function isTimezone(name: string): boolean {
  if (knownTimezones.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    if (knownTimezones.size < 1_000) knownTimezones.add(name);
    return true;
  } catch {
    return false;
  }
}

function tryParseUrl(text: string): URL | null {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
}

function isWebUrl(text: string): boolean {
  const url = tryParseUrl(text);
  return url !== null && url.username === '' && url.password === '';
}

function isBaseUrl(text: string): boolean {
  const url = tryParseUrl(text);
  return (
    url !== null && !text.endsWith('/') && !/[?#]/.test(text) && url.username === '' && url.password === ''
  );
}
