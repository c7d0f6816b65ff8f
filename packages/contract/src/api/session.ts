import * as z from 'zod';
import { MEMBER_ROLES } from '../roles.ts';
import { emailAddress } from './email.ts';
import { orgReference } from './org-reference.ts';
import { createPageSchema, timestamp } from './page.ts';
import { passkeyAssertion } from './passkeys.ts';

/** The ways to sign in. */
export const SIGN_IN_METHODS = ['password', 'passkey', 'oidc', 'setup', 'invitation'] as const;

export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/**
 * The length limits of a password in code points. NIST SP 800-63B recommends a minimum length and
 * no composition rules.
 */
export const PASSWORD_LENGTH_LIMITS = { min: 12, max: 128 } as const;

/** Returns whether a new password has an allowed length. */
export function hasValidPasswordLength(text: string): boolean {
  const characters = [...text.normalize('NFKC')].length;
  return characters >= PASSWORD_LENGTH_LIMITS.min && characters <= PASSWORD_LENGTH_LIMITS.max;
}

/**
 * The schema of a new password. The server also applies the password policy. Do not use this schema for
 * existing passwords: for them, only the maximum length is checked.
 */
export const newPassword = z
  .string()
  .max(1000)
  .refine(hasValidPasswordLength, {
    error: `must be ${PASSWORD_LENGTH_LIMITS.min} to ${PASSWORD_LENGTH_LIMITS.max} characters long`,
  })
  .meta({ writeOnly: true });

const presentedPassword = z.string().min(1).max(1000).meta({ writeOnly: true });
const personName = z.string().trim().min(1).max(100);
const linkToken = z.string().min(1).max(200).meta({ writeOnly: true });

/** The methods that the sign-in page offers. */
export const offeredSignInMethods = z
  .strictObject({
    password: z.boolean(),
    passkey: z.boolean(),
    oidc: z.array(z.strictObject({ name: z.string() })),
  })
  .meta({ id: 'SignInMethods' });

const role = z.enum(MEMBER_ROLES);

const signedOutSession = z.strictObject({
  state: z.literal('signed_out'),
  setup: z
    .boolean()
    .describe(
      'Whether a person can become an owner with a one-time link: the installation has no owner yet, or a new link was created.',
    ),
  methods: offeredSignInMethods,
});

/** The caller's own console session. */
export const signedInSession = z
  .strictObject({
    state: z.literal('signed_in'),
    user: z.strictObject({ id: z.string(), email: z.string(), name: z.string() }),
    member_id: z.string(),
    role,
    team: z.string().nullable(),
    org: orgReference,
    orgs: z.array(z.strictObject({ id: z.string(), name: z.string(), role })),
    operator: z
      .boolean()
      .describe(
        'Whether the person is an operator. Operators can change settings that affect all organizations of the installation.',
      ),
    stepped_up_until: timestamp
      .nullable()
      .describe(
        'Time until which operations that require a step-up are allowed. `null` means that a step-up is required.',
      ),
    expires_at: timestamp.describe('Time at which the session expires if it is not used before then.'),
    methods: offeredSignInMethods.describe('Methods with which the person can complete a step-up.'),
  })
  .meta({ id: 'SignedIn' });

export type SignedInSessionResource = z.output<typeof signedInSession>;

/** The response of `GET /api/session`. */
export const sessionResource = z
  .discriminatedUnion('state', [signedOutSession, signedInSession])
  .meta({ id: 'Session' });

export type SessionResource = z.output<typeof sessionResource>;

/**
 * The request body of `POST /api/session/setup`, which uses the one-time link that creates an
 * owner.
 */
export const setupBody = z.strictObject({
  token: linkToken,
  email: emailAddress,
  name: personName,
  password: newPassword
    .optional()
    .describe('Password of the new owner. Optional only if sign-in with a password is disabled.'),
});

/** The request body of `POST /api/session/setup/preview`. */
export const setupPreviewBody = z.strictObject({ token: linkToken });

/** The data that the page of the one-time link shows. */
export const setupPreview = z.strictObject({
  org: orgReference,
  first: z.boolean().describe('Whether the installation has no owner yet.'),
  expires_at: timestamp,
});

/** The request body of `POST /api/session/password`. */
export const passwordSignInBody = z.strictObject({
  email: z.string().min(1).max(254),
  password: presentedPassword,
});

/** The request body of `POST /api/session/org`. */
export const orgSwitchBody = z.strictObject({ org_id: z.string().min(1).max(200) });

/** The request body of `POST /api/session/passkey`. */
export const passkeySignInBody = z.strictObject({ credential: passkeyAssertion });

/**
 * The request body of `POST /api/session/step-up`. It must contain exactly one of the two fields.
 */
export const stepUpBody = z
  .strictObject({ password: presentedPassword.optional(), passkey: passkeyAssertion.optional() })
  .refine(({ password, passkey }) => (password === undefined) !== (passkey === undefined), {
    error: 'either password or passkey must be set, but not both',
    path: ['password'],
  });

/** The request body of `PUT /api/me/password`. */
export const ownPasswordBody = z.strictObject({ password: newPassword });

/** The path parameters of `/api/session/oidc/{name}/…`. */
export const oidcParams = z.strictObject({ name: z.string().max(64) });

export const oidcStartQuery = z.strictObject({
  return_to: z
    .string()
    .optional()
    .describe(
      'Path to redirect to after sign-in. If the value is not a path of this installation, Floe redirects to the start page.',
    ),
  step_up: z.literal('true').optional().describe('`true` starts a step-up instead of a sign-in.'),
});

/**
 * The query parameters of an issuer's redirect (RFC 6749, 4.1.2; RFC 9207). An issuer may add
 * others.
 */
export const oidcCallbackQuery = z.looseObject({
  code: z.unknown().optional(),
  state: z.unknown().optional(),
  iss: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** The request body of `POST /api/session/invitation/preview`. */
export const invitationPreviewBody = z.strictObject({ token: linkToken });

/** The data that the page of an invitation shows. */
export const invitationPreview = z.strictObject({
  org: orgReference,
  email: z.string().describe('Email address that the account must have.'),
  role,
  expires_at: timestamp,
});

/**
 * The request body of `POST /api/session/invitation`. A caller who is signed in as the invited
 * account sends only the token.
 */
export const invitationAcceptanceBody = z.strictObject({
  token: linkToken,
  name: personName.optional().describe('Name of the person. Required for a new account.'),
  password: presentedPassword
    .optional()
    .describe(
      `Password of the existing account. For a new account, a new password of ${PASSWORD_LENGTH_LIMITS.min} to ${PASSWORD_LENGTH_LIMITS.max} characters.`,
    ),
});

/** Whether the caller's account is linked to an issuer in `auth.oidc`. */
export const ownIdentityLink = z
  .strictObject({ name: z.string(), connected: z.boolean() })
  .meta({ id: 'OwnIdentityLink' });

export const ownIdentityLinkList = createPageSchema(ownIdentityLink);

/**
 * The response of `POST /api/me/identities/{name}/connect`: the URL to which the browser is
 * redirected.
 */
export const oidcConnectRedirect = z.strictObject({ location: z.string() });

/** A session in the list of the caller's own sessions. */
export const ownSession = z
  .strictObject({
    id: z.string(),
    current: z.boolean().describe('Whether this is the session that sent the request.'),
    method: z.enum(SIGN_IN_METHODS),
    org_id: z.string(),
    ip_address: z.string(),
    user_agent: z.string().describe('User agent of the browser that started the session.'),
    created_at: timestamp,
    last_seen_at: timestamp.describe('Time of the last use. This value can be up to a minute out of date.'),
    expires_at: timestamp,
  })
  .meta({ id: 'OwnSession' });

export const ownSessionList = createPageSchema(ownSession);
