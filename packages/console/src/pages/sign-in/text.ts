/** All text on the sign-in page, and on the pages for the first account and for invitations. */
export const signInText = {
  documentTitle: 'Sign in · Floe',
  product: 'Floe',
  page: {
    loadFailed: 'Could not check your sign-in status.',
    signedIn: 'You are signed in.',
    unreadableLink: 'This link is not valid. Check that you copied the whole link.',
    noAccount:
      'No account exists yet. Open the sign-in link that Floe printed when it first started. The link makes you the owner.',
  },
  form: {
    title: 'Sign in',
    passkey: 'Sign in with a passkey',
    issuer: (name: string) => `Sign in with ${name}`,
    email: 'Email',
    password: 'Password',
    submit: 'Sign in',
    wait: (seconds: number) => `Try again in ${seconds} s`,
    noMethod: 'No sign-in method works at this URL. Ask an operator to set one up.',
  },
  account: {
    first: {
      title: 'Welcome to Floe',
      about: 'You are the first person to sign in, so you become the owner.',
      aboutWithoutPassword: 'You are the first person to sign in, so you become the owner.',
      button: 'Create account',
    },
    owner: {
      title: 'Become an owner',
      about:
        'Enter an email address and a password. If you already have an account, enter its email address and a new password. All other sessions of the account are signed out.',
      aboutWithoutPassword:
        'Enter an email address. If you already have an account, enter its email address. All other sessions of the account are signed out.',
      button: 'Become an owner',
    },
    invitation: {
      title: null,
      about: 'If you already have an account, enter its password. Otherwise, choose a password.',
      aboutWithoutPassword:
        'If you already have an account, sign in first, then open this link again. Otherwise, enter your name to create an account.',
      button: 'Accept invitation',
    },
    linkExpires: (time: string) => ` This link works once and expires at ${time}.`,
    organization: (name: string) => `Organization: ${name}`,
    name: 'Name',
    email: 'Email',
    password: 'Password',
    passwordHint: 'At least 12 characters.',
    /** `methods`: how the person can sign in later. */
    nextSignIn: (methods: readonly string[]) =>
      methods.length === 0
        ? 'No sign-in method works at this URL. When your session ends, you cannot sign in until an operator sets one up.'
        : `Sign-in with a password is disabled. Before you sign out, open Settings > Account and connect one of these: ${methods.join(', ')}.`,
    passkey: 'a passkey',
  },
  invitation: {
    loadFailed: 'This invitation cannot be used.',
    title: (organization: string) => `Join ${organization}`,
    about: (email: string, role: string, time: string) =>
      `${email} is invited as ${role}. The link works once and expires at ${time}.`,
    join: (organization: string) => `Join ${organization}`,
    otherAccount: (email: string) =>
      `You are signed in as ${email}, but the invitation is for another address. Sign out, then open the link again.`,
  },
  errors: {
    session_ended:
      'You were signed out because your session expired or was ended. Sign in again to continue.',
    access_denied:
      'The sign-in was canceled or denied by the identity provider. Try again or sign in another way.',
    not_allowed:
      'None of your groups has access to Floe. Ask an owner to add a group mapping or to invite you.',
    email_not_verified:
      'The identity provider has not verified your email address. Ask its administrator to verify the address, then sign in again.',
    account_exists:
      'An account with your email address already exists. Sign in to it another way, then connect the identity provider in Settings > Account.',
    account_mismatch:
      'The identity provider returned a different account than the one that is signed in. Sign out of the identity provider and try again.',
    expired: 'The sign-in took longer than 10 minutes or was started in another browser. Try again.',
    unavailable: 'The identity provider cannot be reached. Try again later or sign in another way.',
    too_many_attempts: 'There were too many sign-in attempts. Wait a few minutes, then try again.',
    failed:
      'The response from the identity provider is not valid. An operator can find details in the Floe log.',
  },
} as const;
