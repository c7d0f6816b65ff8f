import * as z from 'zod';

/**
 * The email address of an account: ASCII, without spaces, control characters or markup, at most
 * 254 characters (RFC 5321, 4.5.3.1.3). Parsing validates it and converts it to lowercase.
 */
export const emailAddress = z
  .email('must be an email address')
  .max(254)
  .transform((address) => address.toLowerCase());
