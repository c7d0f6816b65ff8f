import * as z from 'zod';

/**
 * An e-mail address that an account can have: ASCII, without spaces, control characters or markup, at most 254 characters
 * (RFC 5321, 4.5.3.1.3). Parsed to lower case, after it was checked.
 */
export const emailAddress = z
  .email('must be an email address')
  .max(254)
  .transform((address) => address.toLowerCase());
