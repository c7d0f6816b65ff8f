import type { CommandFileRoles } from './command-file-roles.ts';

/** The roles of commands that copy files: the last argument is the target. */
export const COPY_ROLES: CommandFileRoles = {
  words: 'read',
  last: 'write',
  outputOptions: ['-t', '--target-directory'],
};
const FORMATTER_ROLES: CommandFileRoles = {
  words: 'read',
  inPlaceOptions: /^-[a-zA-Z]*[wi]|^--(?:write|in-?place)\b/,
};
const CLONE_ROLES: CommandFileRoles = {
  words: 'none',
  last: 'write',
  textOptions: ['-b', '--branch', '-o', '--origin', '--depth', '-c', '--config', '-j'],
};

/** Roles of commands that write files other than the target of a redirect, by command, or by command and subcommand. */
export const WRITING_COMMAND_ROLES: Readonly<Record<string, CommandFileRoles>> = {
  uniq: { words: 'read', last: 'write' },
  split: { words: 'read', last: 'write', textOptions: ['-l', '-b', '-n', '-a'] },
  script: { words: 'write', textOptions: ['-c', '-qc', '--command'] },
  ffmpeg: { words: 'read', last: 'write' },
  convert: { words: 'read', last: 'write' },
  magick: { words: 'read', last: 'write' },
  black: { words: 'both' },
  rustfmt: { words: 'both' },
  dos2unix: { words: 'both' },
  gofmt: FORMATTER_ROLES,
  goimports: FORMATTER_ROLES,
  shfmt: FORMATTER_ROLES,
  'clang-format': FORMATTER_ROLES,
  prettier: FORMATTER_ROLES,
  yq: FORMATTER_ROLES,
  'docker cp': COPY_ROLES,
  'podman cp': COPY_ROLES,
  'kubectl cp': COPY_ROLES,
  'oc cp': COPY_ROLES,
  'aws s3': COPY_ROLES,
  'gsutil cp': COPY_ROLES,
  'gcloud storage': COPY_ROLES,
  'rclone copy': COPY_ROLES,
  'rclone copyto': COPY_ROLES,
  'rclone move': COPY_ROLES,
  'rclone sync': COPY_ROLES,
  'gh repo': { words: 'read', textOptions: ['-b', '--body', '-t', '--title'] },
  'git archive': { words: 'read', outputOptions: ['-o', '--output'] },
  'git bundle': { words: 'write' },
  'git checkout': { words: 'write', textOptions: ['-b', '-B', '--orphan'] },
  'git clean': { words: 'write', textOptions: ['-e', '--exclude'] },
  'git clone': CLONE_ROLES,
  'git config': { words: 'none' },
  'git format-patch': { words: 'none', outputOptions: ['-o', '--output-directory'] },
  'git init': { words: 'write', textOptions: ['-b', '--initial-branch'] },
  'git mv': { words: 'both', last: 'write' },
  'git restore': { words: 'write', textOptions: ['-s', '--source'] },
  'git rm': { words: 'write' },
  'git worktree': { words: 'write', textOptions: ['-b', '-B', '--reason'] },
};
