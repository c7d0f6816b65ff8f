/** The groups of checks, in the order in which they run and are shown. */
export const DOCTOR_CHECKS = [
  'configuration',
  'data_directory',
  'disk',
  'open_files',
  'secret_key',
  'database',
  'shared_store',
  'clock',
  'server',
  'certificate',
  'providers',
  'mail',
] as const;
/** The name of a group of checks. */
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number];

/** The result of one check. */
export interface DoctorFinding {
  readonly check: DoctorCheck;
  /** The result. `skipped`: the check does not apply, or needs something whose check failed. */
  readonly status: 'ok' | 'warning' | 'error' | 'skipped';
  readonly message: string;
  /** What the operator can do. Every warning and error has one; null for other findings. */
  readonly remedy: string | null;
}

export function createPassedFinding(check: DoctorCheck, message: string): DoctorFinding {
  return { check, status: 'ok', message, remedy: null };
}

export function createSkippedFinding(check: DoctorCheck, message: string): DoctorFinding {
  return { check, status: 'skipped', message, remedy: null };
}

export function createWarningFinding(check: DoctorCheck, message: string, remedy: string): DoctorFinding {
  return { check, status: 'warning', message, remedy };
}

export function createFailedFinding(check: DoctorCheck, message: string, remedy: string): DoctorFinding {
  return { check, status: 'error', message, remedy };
}

/**
 * Returns the message of a thrown value. If the cause contains more information than the error itself, adds
 * its message.
 */
export function formatThrownError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const isNew = cause instanceof Error && cause.message !== '' && !error.message.includes(cause.message);
  return isNew ? `${error.message}: ${cause.message}` : error.message;
}
